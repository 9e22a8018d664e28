/** The forms of actions and their fields, of triggers, executions and edges. */
import { type TProperties, Type } from 'typebox';
import { FIELD_TYPES, PLATFORM_ACTIONS, RESULTS } from '../graph/graph.ts';
import { checked, closed, Duration, expression, Id, Label, listOf, oneOf, Reference, taggedByType, template } from './parts.ts';

const Whole = Type.Optional(Type.Integer({ minimum: -1_000_000_000_000, maximum: 1_000_000_000_000 }));
const Value = Type.String({ maxLength: 200 });
const FIELD = {
  label: Label,
  required: Type.Optional(Type.Boolean()),
  maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Characters' })),
  min: Whole,
  max: Whole,
  maxFiles: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
  options: Type.Optional(listOf(Type.Union([Value, closed({ value: Value, label: Label })]), 200)),
  when: Type.Optional(closed({ key: Reference, in: listOf(Type.Union([Value, Type.Number(), Type.Boolean()]), 200) })),
};
const field = (type: TProperties[string]) => closed({ key: Id, type, ...FIELD });
const FieldForm = field(oneOf(FIELD_TYPES));
/** A field of one type, as documents show it. */
export const fieldForm = (type: string) => field(Type.Literal(type));

export const ActionForm = closed({
  key: Id,
  by: oneOf(['seller', 'buyer']),
  label: Label,
  mode: Type.Optional(oneOf(['button', 'form'])),
  platform: Type.Optional(oneOf(PLATFORM_ACTIONS)),
  input: Type.Optional(listOf(FieldForm, 50)),
  maxUses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});

const TriggerForm = taggedByType([
  closed({ type: oneOf(['seller.action', 'buyer.action']), key: Reference }),
  closed({ type: Type.Literal('event'), name: Type.String({ maxLength: 100, description: 'courier.* or custom.*' }) }),
  closed({ type: Type.Literal('elapsed'), deadline: Reference }),
  closed({ type: Type.Literal('result'), value: checked(RESULTS) }),
]);

const plain = <T extends string>(type: T) => closed({ type: Type.Literal(type) });
export const EXECUTION_FORMS = {
  'tracking.start': plain('tracking.start'),
  'tracking.stop': plain('tracking.stop'),
  'stock.capture': plain('stock.capture'),
  'stock.restore': plain('stock.restore'),
  refund: closed({
    type: Type.Literal('refund'),
    deduct: Type.Optional(Type.Union([Type.Number({ 'x-document': { type: 'integer', minimum: 0 } }), expression('int')])),
  }),
  notify: closed({
    type: Type.Literal('notify'),
    name: Type.String({ maxLength: 100, 'x-document': { pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,59}$' } }),
    to: oneOf(['buyer', 'seller']),
    message: template(500),
  }),
  'fulfillment.record': plain('fulfillment.record'),
  'deadline.extend': closed({ type: Type.Literal('deadline.extend'), deadline: Reference, by: Duration }),
} as const;

export const EdgeForm = closed({
  id: Type.String({ pattern: '^[A-Za-z0-9.:@_?-]{1,100}$', maxLength: 100 }),
  from: Reference,
  to: Reference,
  on: TriggerForm,
  when: Type.Optional(expression('bool')),
  internal: Type.Optional(Type.Boolean()),
  run: Type.Optional(listOf(taggedByType(Object.values(EXECUTION_FORMS)), 20)),
});
