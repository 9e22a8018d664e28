/** Terminations of runs at chosen places: before and after each of their activities. */
import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { WorkflowType } from '../../../workflows/kernel/messages.ts';

/** One place where the drill may strike: an activity of a run of this kind, counted from 0, before or after it. */
export interface InterruptionPoint {
  readonly kind: WorkflowType;
  readonly nth: number;
  readonly when: 'before' | 'after';
}

export class Interruptions {
  /** The activities of the story so far. */
  passed: { readonly kind: WorkflowType; readonly workflowId: string }[] = [];
  /** What is to be struck, at most one place of a kind: runs of different kinds do not hear of each other's ends. */
  targets: readonly InterruptionPoint[] = [];
  /** The workflow ids of the runs that were terminated. */
  readonly struck: string[] = [];

  /** Carries out an activity, and terminates its run before or after it where that is a target. */
  async around<T>({ workflowExecution, workflowType }: Info, client: Client, carryOut: () => Promise<T>): Promise<T> {
    const { workflowId } = workflowExecution!;
    const kind = workflowType as WorkflowType;
    const nth = this.passed.filter((one) => one.workflowId === workflowId).length;
    this.passed.push({ kind, workflowId });
    await this.#strike({ kind, nth, when: 'before' }, client, workflowId);
    const answer = await carryOut();
    await this.#strike({ kind, nth, when: 'after' }, client, workflowId);
    return answer;
  }

  async #strike({ kind, nth, when }: InterruptionPoint, client: Client, workflowId: string): Promise<void> {
    const target = this.targets.find((one) => one.kind === kind && one.nth === nth && one.when === when);
    if (!target) return;
    this.targets = this.targets.filter((one) => one !== target);
    await client.workflow.getHandle(workflowId).terminate('drill');
    this.struck.push(workflowId);
  }
}

/** Each place once, and in a round one of each kind. */
export function roundsOf(points: readonly InterruptionPoint[]): readonly (readonly InterruptionPoint[])[] {
  const kinds = [...Map.groupBy(points, ({ kind }) => kind).values()];
  const max = Math.max(...kinds.map(({ length }) => length));
  return Array.from({ length: max }, (_, nth) => kinds.flatMap((places) => places[nth] ?? []));
}
