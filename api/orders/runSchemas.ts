import { PUBLIC_STATUSES } from '../../domain/flows/status.ts';
import { closed, Id, oneOf, Timestamp, Type } from '../kernel/schema.ts';

const text = Type.Optional(Type.String());
/** A record of a flow (F31). */
export const FlowRun = closed(
  {
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
    status: oneOf(PUBLIC_STATUSES),
  },
  { title: 'FlowRun' },
);
