/** What an item's flow shows of itself: its state, and the actions that it offers. */
import { FIELD_TYPES } from '../../domain/flows/graph/graph.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/graph/status.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const Status = oneOf(PUBLIC_STATUSES);
export const Texts = Type.Array(Type.String());
/** Whatever the flow has stored under a key. */
const Blocks = Type.Record(Type.String(), Type.Unknown());
const flowStateFields = {
  key: Type.String(),
  name: Type.String(),
  message: nullable(Type.String()),
  deadlineAt: nullable(Timestamp),
  attachments: Texts,
  earlierAttachments: Texts,
  inputs: Blocks,
  branches: Type.Array(
    closed({
      branch: nullable(Type.String()),
      key: Type.String(),
      name: Type.String(),
      status: Status,
      message: nullable(Type.String()),
      deadlineAt: nullable(Timestamp),
    }),
  ),
};
/** In lists: what the flow has gathered is the detail's. */
export const ListedFlowState = closed(
  {
    key: Type.String(),
    name: Type.String(),
    message: flowStateFields.message,
    deadlineAt: flowStateFields.deadlineAt,
    branches: flowStateFields.branches,
  },
  { title: 'ListedFlowState' },
);
export const FlowState = closed(
  {
    ...flowStateFields,
    slowedUntil: Type.Union([Timestamp, Type.Null()], {
      description: 'When it goes on by itself, where it has moved 30 times in ten minutes or 500 in a day (F44)',
    }),
    data: Blocks,
  },
  { title: 'FlowState' },
);
/** Without the data blocks, and with the buyer's own inputs only. */
export const BuyerFlowState = closed(flowStateFields, { title: 'BuyerFlowState' });
export const InputField = closed(
  {
    key: Type.String(),
    type: oneOf(FIELD_TYPES),
    label: Type.String(),
    required: Type.Boolean(),
    maxLength: nullable(Type.Integer()),
    min: nullable(Type.Integer()),
    max: nullable(Type.Integer()),
    maxFiles: nullable(Type.Integer()),
    options: nullable(Type.Array(closed({ value: Type.String(), label: Type.String() }))),
    when: nullable(closed({ key: Type.String(), in: Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])) })),
  },
  { title: 'FlowInputField' },
);
export const actionFields = { key: Type.String(), label: Type.String(), mode: oneOf(['button', 'form']), enabled: Type.Boolean() };
const itemActionFields = {
  ...actionFields,
  by: oneOf(['seller', 'buyer']),
  disabled: nullable(closed({ reason: Type.String() })),
};
/** In lists: without its form. */
export const ListedAction = closed(itemActionFields, { title: 'ListedFlowAction' });
export const Action = closed(
  {
    ...itemActionFields,
    input: Type.Array(InputField),
  },
  { title: 'FlowAction' },
);
export const Flow = closed(
  {
    orderItemId: Id,
    flow: closed({ flowId: Id, key: Type.String(), name: Type.String(), version: Type.Integer() }),
    flowState: FlowState,
    actions: Type.Array(Action),
    moveTargets: Type.Array(Type.String()),
    versions: Type.Array(closed({ version: Type.Integer(), current: Type.Boolean() })),
  },
  { title: 'OrderItemFlow' },
);
