/** What a command did, in the form in which an approved one is compared with its dry run (G51). */
import { comparedOf } from '../../domain/approvals/rules.ts';
import { allChanges } from '../../domain/audit/changes.ts';
import { digestOf } from '../kernel/digest.ts';
import type { FlowStep, Returned, Tx } from '../kernel/tx.ts';
import type { Views } from './origin.ts';

interface Done {
  readonly views?: Views | null;
  readonly reply?: { readonly body: unknown };
}
/** What a transaction has done besides its rows, so far. */
export interface Sofar {
  readonly returned: Returned;
  readonly steps: number;
}
export const sofar = ({ returned, steps }: Tx): Sofar => ({ returned: { ...returned }, steps: steps.length });
/** Of what was refused, and rolled back, nothing was done. */
export function backTo({ returned, steps }: Tx, before: Sofar): void {
  Object.assign(returned, before.returned);
  steps.length = before.steps;
}

/** Steps without their times. */
export const comparedSteps = (steps: readonly FlowStep[]) =>
  steps.map(({ orderItemIds, edges, to, status, jobs, details }) => ({ orderItemIds, edges, to, status, jobs, details }));

/**
 * The digest of the difference that it made to what GET shows, of what it gave back, of the amounts and counts of its reply, of the items
 * that it moved, and of the steps of their flows with the jobs that these start. Nothing of it depends on the time but through what a flow
 * decided: a dry run a moment earlier has the same.
 */
export function effectOf({ views, reply }: Done, { returned: after, steps }: Tx, { returned: before, steps: first }: Sofar): string {
  const listed = views ? comparedOf(allChanges(views.before, views.after, views.listing), views.listing.levels ?? []) : [];
  const answered = Object.entries((reply?.body ?? {}) as Readonly<Record<string, unknown>>);
  return digestOf({
    changes: listed,
    steps: comparedSteps(steps.slice(first)),
    refundAmount: after.refundAmount - before.refundAmount,
    pointRefundAmount: after.pointRefundAmount - before.pointRefundAmount,
    answered: Object.fromEntries(answered.filter(([name, value]) => typeof value === 'number' || name === 'affectedOrderItemIds')),
  });
}
