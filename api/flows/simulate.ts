import { readHolidays } from '../../db/flows/holidays.ts';
import { rehearsedFlow } from '../../db/flows/rehearsed.ts';
import { readStore } from '../../db/stores/queries.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/graph/status.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, nullable, oneOf, Timestamp, Type, Won } from '../declare/schema.ts';
import { Scenario, scenarioProblems } from './scenario.ts';
import { TRUNCATED } from './rehearsals.ts';
import { simulationOf, type Step } from './simulated.ts';
import { FLOW_HEAD } from './subject.ts';
import { computed } from './threads.ts';

const Key = Type.String();
const text = Type.Optional(Type.String());
const Refusal = closed({
  code: Type.String(),
  reason: Type.String(),
  issues: Type.Optional(Type.Array(closed({ key: Key, name: Type.String(), reason: Type.String() }))),
});
const Job = closed(
  {
    type: Type.String(),
    at: Timestamp,
    name: text,
    to: text,
    message: text,
    deadline: text,
    by: text,
    nodeId: text,
    deduct: Type.Optional(Won),
  },
  { title: 'FlowJob', description: 'An execution with its fields, external.call, refund, stock.restore, points.earn, or event' },
);
const Permitted = closed(
  {
    allowed: Type.Boolean(),
    reason: nullable(oneOf(['NOT_IN_STATE', 'PERIOD_EXPIRED', 'CLAIM_IN_PROGRESS'])),
    until: nullable(Timestamp),
    deduct: Won,
    asRequest: Type.Boolean({ description: 'An expression of it fails: the seller decides' }),
  },
  { title: 'FlowPermitted' },
);
const Answer = closed(
  {
    at: Timestamp,
    accepted: Type.Boolean(),
    refusal: nullable(Refusal),
    state: closed({ key: Key, name: Type.String() }),
    branches: Type.Array(closed({ branch: nullable(Key), key: Key })),
    status: oneOf(PUBLIC_STATUSES),
    done: nullable(oneOf(['COMPLETED', 'CANCELED'])),
    edges: Type.Array(Type.String()),
    jobs: Type.Array(Job),
    deadlines: Type.Array(closed({ key: Key, at: Timestamp }), { description: 'Armed, the nearest first' }),
    permissions: closed({
      buyerCancel: Permitted,
      cancelRequest: Permitted,
      returnRequest: Permitted,
      exchangeRequest: Permitted,
      sellerForcedCancel: Permitted,
      sellerCancelHoldRefund: Permitted,
    }),
    truncated: TRUNCATED,
  },
  { title: 'FlowSimulationStep' },
);

export const simulate = endpoint({
  id: 'flows.simulate',
  route: 'POST /v1/commerce-flows/{flowId}/draft/simulate',
  summary: 'Play a scenario through the draft, or the newest version where there is none; nothing real changes',
  access: 'store',
  scopes: ['flow:r'],
  agent: 'direct',
  target: FLOW_HEAD,
  change: 'none',
  body: Scenario,
  data: closed(
    { steps: Type.Array(Answer, { description: 'One for each step; the last one is that which is truncated' }) },
    { title: 'FlowSimulation' },
  ),
  errors: ['FLOW_NOT_FOUND', 'PUBLISH_BLOCKED'],
  check: scenarioProblems,
})
  .before(async (call) => {
    const handedOut: Step[] = [];
    const ended = await computed(
      call,
      async (tx) => {
        const { source } = await rehearsedFlow(tx, call.params.flowId);
        const { autoDeliverDays, autoConfirmDays } = await readStore(tx);
        const settings = { autoDeliverDays, autoConfirmDays };
        const simulation = simulationOf(call.body, { at: call.at, settings, holidays: await readHolidays(tx) });
        return { type: 'simulate', source, simulation };
      },
      { onProgress: (step) => void handedOut.push(JSON.parse(String(step)) as Step) },
    );
    if ('died' in ended) return stepsUntil(handedOut, ended.died);
    if (ended.result) throw new Fault('PUBLISH_BLOCKED', { details: { blocking: ended.result.blocking } });
    return handedOut.slice(1);
  })
  .handle(async ({ prepared: steps }) => ({ steps }));

/** Its thread was ended in the middle of a step: of that one nothing is known but where it began. The first one is before the start. */
function stepsUntil(handedOut: readonly Step[], died: 'TIME' | 'SIZE'): Step[] {
  const stands = handedOut.at(-1);
  // Not even its flow was there.
  if (!stands) throw new Fault('TEMPORARILY_UNAVAILABLE');
  const steps = handedOut.slice(1);
  return stands.truncated ? steps : [...steps, { ...stands, accepted: true, refusal: null, edges: [], jobs: [], truncated: died }];
}
