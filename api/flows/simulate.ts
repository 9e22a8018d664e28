import { readHolidays } from '../../db/flows/holidays.ts';
import { rehearsedFlow } from '../../db/flows/rehearsed.ts';
import { readStore } from '../../db/stores/queries.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/status.ts';
import { simulate as simulateFlow } from '../../domain/flows/simulate.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, nullable, oneOf, Timestamp, Type, Won } from '../kernel/schema.ts';
import { Scenario, scenarioProblems } from './scenario.ts';
import { simulationOf, viewAnswer } from './simulated.ts';
import { FLOW_HEAD } from './subject.ts';

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
  data: closed({ steps: Type.Array(Answer) }, { title: 'FlowSimulation' }),
  errors: ['FLOW_NOT_FOUND', 'PUBLISH_BLOCKED'],
  check: scenarioProblems,
}).handle(async ({ tx, params, body, at }) => {
  const { flow } = await rehearsedFlow(tx, params.flowId);
  const { autoDeliverDays, autoConfirmDays } = await readStore(tx);
  const settings = { autoDeliverDays, autoConfirmDays };
  const simulation = simulationOf(body, { at, settings, holidays: await readHolidays(tx) });
  return { steps: simulateFlow(flow, simulation).map((answer) => viewAnswer(flow, answer)) };
});
