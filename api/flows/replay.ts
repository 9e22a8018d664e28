import { replayItem } from '../../db/orders/replayed.ts';
import { rehearsedFlow } from '../../db/flows/rehearsed.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Id, nullable, Type } from '../kernel/schema.ts';
import { FLOW_HEAD } from './subject.ts';

const Ids = Type.Array(Type.String());
const text = Type.Optional(Type.String());
const Diverged = closed(
  {
    record: Type.Integer({ minimum: 1, description: 'Counts from 1, the start' }),
    runId: nullable(Id),
    event: closed({ type: Type.String(), key: text, name: text, deadline: text, value: text, to: text, reason: text }),
    recorded: closed({ edges: Ids, to: Ids }),
    replayed: closed({ edges: Ids, to: Ids, code: nullable(Type.String()), reason: nullable(Type.String()) }),
  },
  { title: 'FlowDivergence' },
);

export const replay = endpoint({
  id: 'flows.replay',
  route: 'POST /v1/commerce-flows/{flowId}/draft/replay',
  summary: 'Feed what happened to an item to the draft, or to the newest version where there is none; nothing real changes',
  access: 'store',
  scopes: ['flow:r'],
  agent: 'direct',
  target: FLOW_HEAD,
  change: 'none',
  body: closed({ orderItemId: Id }, { title: 'FlowReplayRequest' }),
  data: closed(
    {
      orderItemId: Id,
      version: Type.Integer({ minimum: 1 }),
      records: Type.Integer({ minimum: 0 }),
      divergedAt: nullable(Diverged),
    },
    { title: 'FlowReplay' },
  ),
  errors: ['FLOW_NOT_FOUND', 'ORDER_ITEM_NOT_FOUND', 'PUBLISH_BLOCKED'],
}).handle(async ({ tx, params, body }) => {
  const { flow, version } = await rehearsedFlow(tx, params.flowId);
  const { orderItemId, records, diverged } = await replayItem(tx, flow, body.orderItemId);
  return { orderItemId, version, records, divergedAt: diverged && viewDivergence(diverged) };
});

type Diverged = NonNullable<Awaited<ReturnType<typeof replayItem>>['diverged']>;
function viewDivergence({ record, runId, event, recorded, replayed }: Diverged) {
  const { edges, to, code = null, reason = null } = replayed;
  const details = DETAILS.filter((field) => typeof event[field] === 'string').map((field) => [field, event[field] as string] as const);
  return {
    record,
    runId,
    event: { type: event.type, ...(Object.fromEntries(details) as { [K in (typeof DETAILS)[number]]?: string }) },
    recorded: { edges: [...recorded.edges], to: [...recorded.to] },
    replayed: { edges: [...edges], to: [...to], code, reason },
  };
}
const DETAILS = ['key', 'name', 'deadline', 'value', 'to', 'reason'] as const;
