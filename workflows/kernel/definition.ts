/** What a workflow type says of itself. */
import type { CallOf } from '../../domain/kernel/messages.ts';
import type { CallTimes } from './call.ts';
import type { CallName, Messages, Plan, RunRef, WorkflowType } from './messages.ts';

/** What a workflow type adds to the skeleton. */
export interface WorkflowDefinition<T extends WorkflowType> {
  readonly type: T;
  /** The plan of a new run, where it can be built without loading the row. */
  readonly firstPlan?: (run: RunRef, firstAt: number) => Plan<T>;
  /** The timeouts of its calls; null if it makes none. */
  readonly times: [CallName<T>] extends [never] ? null : CallTimes;
  /** The summary of each call in Temporal UI. */
  readonly calls: Summaries<Messages[T]['calls']>;
}
type Summaries<Calls> = { readonly [N in keyof Calls & string]: (call: CallOf<Calls, N>) => string };

/** The summary of a call in Temporal UI. A run makes no other calls than those of its type. */
export function summaryOf<Calls>(summaries: Summaries<Calls>, call: { readonly name: string }): string {
  if (!isOneOf(summaries, call)) throw new Error(`No call of this workflow is named ${call.name}`);
  return summarize(summaries, call);
}
const isOneOf = <Calls>(summaries: Summaries<Calls>, call: { readonly name: string }): call is CallOf<Calls> => call.name in summaries;
const summarize = <Calls, N extends keyof Calls & string>(summaries: Summaries<Calls>, call: CallOf<Calls, N>): string =>
  summaries[call.name](call);
