/** The forms of the six types of nodes. */
import { type TProperties, Type } from 'typebox';
import { PERMISSIONS, STEP_TYPES, WAITING_STATUSES } from '../graph/graph.ts';
import { checked, closed, Duration, expression, FLOW_KEY, Id, Label, listOf, oneOf, Reference, taggedByType, template } from './parts.ts';

const Status = checked(WAITING_STATUSES);
const HttpPath = Type.String({ pattern: '^/[!-~]*$', maxLength: 500, description: 'Appended to the address of the stored connection' });
const SecretName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$', maxLength: 40, description: 'A stored connection' });
const PinnedFlow = Type.String({
  pattern: `${FLOW_KEY.slice(0, -1)}(?:@[0-9]{1,9})?$`,
  maxLength: 50,
  description: 'The key of a flow; a published version tells key@version',
});

const Deadline = closed({
  key: Id,
  after: Type.Optional(Duration),
  at: Type.Optional(expression('time')),
  setting: Type.Optional(checked(['autoDeliverDays', 'autoConfirmDays'])),
  hidden: Type.Optional(Type.Boolean()),
  ifPast: Type.Optional(oneOf(['fire', 'skip'])),
});
const amount = (of: object) => Type.Number({ 'x-document': of });
const Fee = taggedByType([
  closed({ type: Type.Literal('none') }),
  closed({ type: Type.Literal('flat'), amount: amount({ type: 'integer', minimum: 0 }) }),
  closed({ type: Type.Literal('ratio'), percent: amount({ minimum: 0, maximum: 100 }) }),
]);
const Limits = closed({
  within: Type.Optional(Duration),
  until: Type.Optional(expression('time')),
  fee: Type.Optional(Fee),
  deduct: Type.Optional(Type.Union([amount({ type: 'integer', minimum: 0 }), expression('int')])),
});
const Permission = Type.Union([Type.Literal(true), Limits]);
const Permissions = closed(Object.fromEntries(PERMISSIONS.map((key) => [key, Type.Optional(Permission)])));
const files = Type.Integer({ minimum: 0, maximum: 100, 'x-document': { minimum: 1, maximum: 10 } });

const node = <T extends string, P extends TProperties>(type: T, more: P) => closed({ id: Id, type: Type.Literal(type), ...more });
const label = Type.Optional(Label);
const deadline = Type.Optional(Duration);

export const NODE_FORMS = {
  state: node('state', {
    status: Status,
    step: oneOf(STEP_TYPES),
    label: Label,
    message: Type.Optional(template(500)),
    deadlines: Type.Optional(listOf(Deadline, 20)),
    attachments: Type.Optional(closed({ min: files, max: files, label })),
    permissions: Type.Optional(Permissions),
  }),
  end: node('end', { outcome: oneOf(['COMPLETED', 'CANCELED']), label: Label }),
  parallel: node('parallel', {
    label,
    branches: Type.Array(closed({ key: Id, start: Reference, label }), { maxItems: 50, 'x-document': { minItems: 2, maxItems: 10 } }),
    join: Reference,
    deadline,
  }),
  join: node('join', { label }),
  call: node('call', { label, flow: PinnedFlow, deadline }),
  external: node('external', {
    label,
    status: Status,
    secret: SecretName,
    method: oneOf(['POST', 'PUT']),
    path: HttpPath,
    body: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,99}$' }), template(2000), {
        additionalProperties: false,
        maxProperties: 50,
      }),
    ),
    timeoutSeconds: Type.Number({ 'x-document': { type: 'integer', minimum: 1, maximum: 60 } }),
    saveAs: Type.Optional(Id),
  }),
} as const;
export const NodeForm = taggedByType(Object.values(NODE_FORMS));
