import { readRecordedItem } from '../../db/orders/flows/replayed.ts';
import { rehearsedFlow } from '../../db/flows/rehearsed.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, nullable, Type } from '../declare/schema.ts';
import { TRUNCATED } from './rehearsals.ts';
import { FLOW_HEAD } from './subject.ts';
import { computed } from './threads.ts';

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
      records: Type.Integer({ minimum: 0, description: 'Of the item; where it is truncated, those that were fed' }),
      divergedAt: nullable(Diverged),
      truncated: TRUNCATED,
    },
    { title: 'FlowReplay' },
  ),
  errors: ['FLOW_NOT_FOUND', 'ORDER_ITEM_NOT_FOUND', 'PUBLISH_BLOCKED'],
})
  .before(async (call) => {
    let [version, orderItemId, records, fed] = [0, '', 0, 0];
    const ended = await computed(
      call,
      async (tx) => {
        const flow = await rehearsedFlow(tx, call.params.flowId);
        const item = await readRecordedItem(tx, call.body.orderItemId);
        [version, orderItemId, records] = [flow.version, item.orderItemId, item.records.length];
        return { type: 'replay', source: flow.source, item };
      },
      { onProgress: (progress) => void (fed = Number(progress)) },
    );
    if ('died' in ended) return { orderItemId, version, records: fed, divergedAt: null, truncated: ended.died };
    const { result } = ended;
    if ('blocking' in result) throw new Fault('PUBLISH_BLOCKED', { details: { blocking: result.blocking } });
    const { divergedAt, truncated } = result;
    return { orderItemId, version, records: truncated ? result.fed : records, divergedAt, truncated };
  })
  .handle(async ({ prepared }) => prepared);
