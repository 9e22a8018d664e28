/**
 * What the steps of flows do, as approvals show and compare it (G51): the edges that they take, where they lead, and the jobs that they
 * start.
 */
import { externalRequest } from '../../../domain/flows/run/external.ts';
import { type Job, jobsOf } from '../../../domain/flows/run/jobs.ts';
import { locationOf } from '../../../domain/flows/run/positions.ts';
import type { FlowEvent, FlowState, StepResult } from '../../../domain/flows/run/state.ts';
import { findSecret } from '../../flows/secrets.ts';
import { digestOf } from '../../kernel/digest.ts';
import { itemsOf, movingFlowOf, stateOf, type TransitionContext } from './context.ts';
import type { OrderItem } from '../entities.ts';
import { itemOfTemplates, templateValues } from './views.ts';

/** What falls due by itself is nobody's request. */
const BY_ITSELF: ReadonlySet<FlowEvent['type']> = new Set(['elapsed', 'SLOWED', 'result']);

interface Taken {
  readonly event: FlowEvent;
  readonly before: FlowState;
  readonly result: Extract<StepResult, { readonly ok: true }>;
  readonly moved: readonly OrderItem[];
}
/**
 * Records the step where its transaction is compared with what was approved, or is the dry run of it. The items have the state after it.
 */
export async function recordStep(context: TransitionContext, { event, before, result, moved }: Taken): Promise<void> {
  const { tx, store } = context;
  if (!tx.isCompared || BY_ITSELF.has(event.type)) return;
  const { state, effects, trace } = result;
  const timers = armed(before, state);
  // When it happens, and how its calls are numbered, is no part of what is approved.
  const timeless = effects.map((effect) => ({ ...effect, at: null, call: null }));
  tx.steps.push({
    orderItemIds: moved.map(({ orderItemId }) => orderItemId),
    edges: trace.flatMap(({ edges }) => edges),
    to: [...new Set(state.positions.map(({ node }) => node))],
    status: state.status,
    jobs: [...jobsOf(event, effects).map(nameOf), ...timers.map(({ key }) => `timer ${key}`)],
    timers,
    details: {
      effects: timeless,
      outcome: state.done ?? null,
      settings: { autoDeliverDays: store.autoDeliverDays, autoConfirmDays: store.autoConfirmDays },
      requests: await requestsOf(context, effects),
    },
  });
}

/** Deadlines that the step has begun. */
function armed(before: FlowState, { positions, done }: FlowState): readonly { readonly key: string; readonly at: number }[] {
  if (done) return [];
  const known = new Set(before.positions.flatMap(({ id, enteredAt, due }) => due.map(({ key, at }) => `${id} ${enteredAt} ${key} ${at}`)));
  return positions.flatMap(({ id, enteredAt, due }) =>
    due.flatMap(({ key, at }) => (at === null || known.has(`${id} ${enteredAt} ${key} ${at}`) ? [] : [{ key, at }])),
  );
}

function nameOf(job: Job): string {
  if (job.type === 'notify') return `notify ${job.to} ${job.name}`;
  if (job.type === 'external.call') return `${job.type} ${job.nodeId}`;
  if (job.type === 'event') return `event ${job.name}`;
  if (job.type === 'refund') return job.deduct === 0 ? 'refund' : `refund less ${job.deduct}`;
  return job.type === 'deadline.extend' ? `${job.type} ${job.deadline} ${job.by}` : job.type;
}

/** A digest of each request to an external service as it would be sent now: it may have personal data. */
async function requestsOf(context: TransitionContext, effects: Taken['result']['effects']): Promise<readonly object[]> {
  const calls = effects.filter((effect) => effect.type === 'external.call');
  if (calls.length === 0) return [];
  const [state, flow] = [stateOf(context), movingFlowOf(context)];
  const item = itemOfTemplates(itemsOf(context), state);
  const requests: object[] = [];
  for (const { call } of calls) {
    const position = state.positions.find((one) => one.call === call);
    const node = position && locationOf(flow, position).node;
    if (node?.type !== 'external') continue;
    const connection = await findSecret(context.tx, node.secret);
    const request = connection && externalRequest(node, connection.url, templateValues(item));
    requests.push({ nodeId: node.id, request: request && digestOf({ ...request, headerName: connection.headerName }) });
  }
  return requests;
}
