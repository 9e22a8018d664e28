import { PUBLIC_STATUSES } from '../../domain/flows/graph/status.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { closed, Id, oneOf, Timestamp, Type } from '../declare/schema.ts';

const text = Type.Optional(Type.String());
const run = {
  runId: Id,
  orderItemIds: Type.Array(Id),
  flow: closed({ key: Type.String(), version: Type.Integer() }),
  at: Timestamp,
  event: closed({ type: Type.String(), key: text, name: text, deadline: text, value: text, to: text, reason: text, until: text }),
  actor: oneOf(['SELLER', 'BUYER', 'SYSTEM']),
  from: Type.Array(Type.String()),
  to: Type.Array(Type.String()),
  edges: Type.Array(Type.String()),
  steps: Type.Array(
    closed({
      type: Type.String(),
      at: Timestamp,
      status: oneOf(['DONE', 'PENDING', 'FAILED']),
      members: Type.Optional(Type.Array(Id)),
      name: text,
      to: text,
      message: text,
      deadline: text,
      by: text,
      nodeId: text,
      deduct: Type.Optional(Type.Integer()),
    }),
  ),
  stepsTruncated: Type.Boolean({ description: 'More jobs or members were recorded than are shown' }),
  status: oneOf(PUBLIC_STATUSES),
};
/** A record of a flow, with its first 500 jobs. */
export const FlowRun = closed(run, { title: 'FlowRun' });
/** Of lists: the first 20 jobs, edges and positions, and of a job the first 5 members. */
export const ListedFlowRun = closed({ ...run, truncated: Truncated }, { title: 'ListedFlowRun' });
export const RUN_CUT: Cut = { texts: ['message', 'reason', 'value'] };
