/** Graphs of the form and without any sense: their ids meet often, so that everything refers to everything. */
import fc from 'fast-check';
import { FIELD_TYPES, PERMISSIONS, PLATFORM_ACTIONS, RESULTS, STEP_TYPES } from '../../../domain/flows/graph/graph.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'constructor', 'toString');
const other = fc.oneof({ arbitrary: id, weight: 9 }, fc.constantFrom('', '__proto__', '없음', 'a b'));
const duration = fc.constantFrom('P1D', 'PT1S', 'PT0S', 'P1M', 'P400D', 'P401D', 'soon', '', 'P');
const source = fc.oneof(
  fc.constantFrom(
    'true',
    'now',
    '1',
    'pct(refundable, 5)',
    'item.inputs.a == "x"',
    'has(item.inputs.b)',
    'claim.quantity',
    '((',
    '',
    'constructor',
    'lookupStep(a, 1)',
    '[1].map(x, x)',
  ),
  fc.string({ maxLength: 30 }),
);
const text = fc
  .oneof(fc.constantFrom('{{inputs.a}}', '{{a', '{{}}', '{{__proto__.x}}', '{{{{a}}}}', '', 'x'), fc.string({ maxLength: 20 }))
  .map((one) => one.replaceAll(/[^\n -~가-힣]/g, '?'));
const printable = source.map((one) => one.replaceAll(/[^\n -~가-힣]/g, '?'));
const amount = fc.oneof(fc.integer({ min: -5, max: 200 }), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }));
const status = fc.constantFrom('PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED', 'RETURNED', 'constructor', '');

const deadline = fc.record(
  { key: id, after: duration, at: printable, setting: fc.constantFrom('autoDeliverDays', 'x'), hidden: fc.boolean() },
  { requiredKeys: ['key'] },
);
const permission = fc.oneof(
  fc.constant(true),
  fc.record(
    {
      within: duration,
      until: printable,
      fee: fc.oneof(
        fc.constant({ type: 'none' }),
        fc.record({ type: fc.constant('flat'), amount }),
        fc.record({ type: fc.constant('ratio'), percent: amount }),
      ),
      deduct: fc.oneof(amount, printable),
    },
    { requiredKeys: [] },
  ),
);
const files = fc.record({ min: fc.integer({ min: 0, max: 12 }), max: fc.integer({ min: 0, max: 12 }) });
const node = fc.oneof(
  fc.record(
    {
      id,
      type: fc.constant('state'),
      status,
      step: fc.constantFrom(...STEP_TYPES),
      label: fc.constant('x'),
      message: text,
      deadlines: fc.array(deadline, { maxLength: 3 }),
      attachments: files,
      permissions: fc.dictionary(fc.constantFrom(...PERMISSIONS), permission, { maxKeys: 3 }).map((one) => ({ ...one })),
    },
    { requiredKeys: ['id', 'type', 'status', 'step', 'label'] },
  ),
  fc.record({ id, type: fc.constant('end'), outcome: fc.constantFrom('COMPLETED', 'CANCELED'), label: fc.constant('x') }),
  fc.record(
    {
      id,
      type: fc.constant('parallel'),
      branches: fc.array(fc.record({ key: id, start: other }), { maxLength: 5 }),
      join: other,
      deadline: duration,
    },
    { requiredKeys: ['id', 'type', 'branches', 'join'] },
  ),
  fc.record({ id, type: fc.constant('join') }),
  fc.record(
    {
      id,
      type: fc.constant('call'),
      flow: fc.constantFrom('visit', 'draft', 'sample', 'circle@3', 'grouped', 'chain6', 'nothing', 'constructor', 'once'),
      deadline: duration,
    },
    { requiredKeys: ['id', 'type', 'flow'] },
  ),
  fc.record(
    {
      id,
      type: fc.constant('external'),
      status,
      secret: fc.constantFrom('service', 'x'),
      method: fc.constant('POST'),
      path: fc.constant('/'),
      body: fc.record({ a: text }),
      timeoutSeconds: amount,
      saveAs: id,
    },
    { requiredKeys: ['id', 'type', 'status', 'secret', 'method', 'path', 'timeoutSeconds'] },
  ),
);
const trigger = fc.oneof(
  fc.record({ type: fc.constantFrom('seller.action', 'buyer.action'), key: other }),
  fc.record({ type: fc.constant('event'), name: fc.constantFrom('courier.delivered', 'custom.a', 'x', '') }),
  fc.record({ type: fc.constant('elapsed'), deadline: other }),
  fc.record({ type: fc.constant('result'), value: fc.constantFrom(...RESULTS, 'x') }),
);
const execution = fc.oneof(
  fc.record({ type: fc.constantFrom('tracking.start', 'stock.restore') }),
  fc.record({ type: fc.constant('refund'), deduct: fc.oneof(amount, printable) }, { requiredKeys: ['type'] }),
  fc.record({ type: fc.constant('notify'), name: other, to: fc.constant('buyer'), message: text }),
  fc.record({ type: fc.constant('deadline.extend'), deadline: other, by: duration }),
);
const edge = fc.record(
  { id, from: other, to: other, on: trigger, when: printable, internal: fc.boolean(), run: fc.array(execution, { maxLength: 3 }) },
  { requiredKeys: ['id', 'from', 'to', 'on'] },
);
const field = fc.record(
  {
    key: id,
    type: fc.constantFrom(...FIELD_TYPES),
    label: fc.constant('x'),
    required: fc.boolean(),
    options: fc.array(fc.oneof(id, fc.record({ value: id, label: fc.constant('x') })), { maxLength: 3 }),
    when: fc.record({ key: other, in: fc.array(fc.oneof(id, fc.boolean(), fc.integer()), { maxLength: 2 }) }),
  },
  { requiredKeys: ['key', 'type', 'label'] },
);
const action = fc.record(
  {
    key: id,
    by: fc.constantFrom('seller', 'buyer'),
    label: fc.constant('x'),
    platform: fc.constantFrom(...PLATFORM_ACTIONS),
    input: fc.array(field, { maxLength: 3 }),
    maxUses: fc.integer({ min: 1, max: 1000 }),
  },
  { requiredKeys: ['key', 'by', 'label'] },
);
const row = fc.oneof(
  fc.record({ days: amount, value: amount }),
  fc.record({ from: fc.constantFrom('01-01', '13-40', ''), to: fc.constant('02-02') }),
);

export const garbageGraphs: fc.Arbitrary<unknown> = fc.record(
  {
    schema: fc.constant(1),
    start: other,
    requires: fc.record(
      { progression: fc.constantFrom('ITEM', 'ORDER_GROUP', 'x'), groupClaim: fc.constantFrom('PAUSE', 'x') },
      { requiredKeys: [] },
    ),
    tables: fc.dictionary(fc.constantFrom('a', 'b', 'now', '1', 'constructor'), fc.array(row, { maxLength: 3 })).map((one) => ({ ...one })),
    states: fc.array(node, { maxLength: 20, size: 'max' }),
    actions: fc.array(action, { maxLength: 6 }),
    edges: fc.array(edge, { maxLength: 40, size: 'max' }),
  },
  { requiredKeys: ['schema', 'start', 'states', 'actions', 'edges'] },
);
