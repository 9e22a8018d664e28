/** What an expression reads, in the library's terms: whole numbers as BigInt, moments as Time, each only when it is read. */
import { readTime, Time } from './time.ts';
import type { FieldType, InputTypes, Scope } from './types.ts';

/** The library's name for the type of an input's values. */
const VALUE_TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  textarea: 'string',
  select: 'string',
  radio: 'string',
  number: 'int',
  boolean: 'bool',
  checkbox: 'list<string>',
  image: 'list<string>',
  date: 'time',
  datetime: 'time',
};

const int = (value: unknown): bigint | undefined => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const moment = (value: unknown): Time | undefined => (typeof value === 'string' ? (readTime(value) ?? undefined) : undefined);
const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;

/** A value as its declaration says; undefined when it is none such, as after a migration that changed the field: it counts as absent. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  string: text,
  int,
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  'list<string>': texts,
  time: moment,
};

/** The fields that are read, by the readers of their types; only a record's own ones: prototypes have nothing to say. */
function fieldsOf(types: FieldTypes, values: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [key, type] of types) if (Object.hasOwn(values, key)) fields.set(key, READERS[type]!(values[key]));
  return fields;
}

/** The library's types of fields by their names. */
export type FieldTypes = ReadonlyMap<string, string>;

/** The declared inputs and `wantedAt`, which is a time without declaration. */
export const inputTypes = (inputs: InputTypes): FieldTypes =>
  new Map([
    ['wantedAt', 'time'],
    ...Object.entries(inputs)
      .filter(([key]) => /^[A-Za-z]\w{0,39}$/.test(key))
      .map(([key, type]) => [key, VALUE_TYPES[type]] as const),
  ]);

/** `showAt` is a time; every other attribute is text. */
export const optionTypes = (keys: Iterable<string>): FieldTypes =>
  new Map([...[...keys].map((key) => [key, 'string'] as const), ['showAt', 'time']]);

/** The types of all variables but `item.inputs` and `item.option`, whose fields vary. */
export const ITEM = { quantity: 'int', activeQuantity: 'int', unitPrice: 'int' } as const;
export const STAY = { checkIn: 'time', checkOut: 'time', nights: 'int' } as const;
export const VARIABLE_FIELDS = {
  claim: { quantity: 'int', reason: 'string' },
  order: { paidAt: 'time', totalAmount: 'int' },
  state: { enteredAt: 'time' },
} as const;

/** The variables for one evaluation that reads these inputs and options. */
export const variablesOf = (scope: Scope, inputs: FieldTypes, option: FieldTypes): object => ({
  now: new Time(scope.now),
  get state() {
    return { enteredAt: new Time(scope.enteredAt) };
  },
  get refundable() {
    return int(scope.refundable);
  },
  get claim() {
    return scope.claim && { quantity: int(scope.claim.quantity), reason: text(scope.claim.reason) };
  },
  get order() {
    return { paidAt: new Time(scope.order.paidAt), totalAmount: int(scope.order.totalAmount) };
  },
  get item() {
    return itemOf(scope.item, fieldsOf(inputs, scope.inputs), fieldsOf(option, scope.item.option));
  },
});

function itemOf(
  { quantity, activeQuantity, unitPrice, stay }: Scope['item'],
  inputs: ReadonlyMap<string, unknown>,
  option: ReadonlyMap<string, unknown>,
): object {
  const numbers = { quantity: int(quantity), activeQuantity: int(activeQuantity), unitPrice: int(unitPrice) };
  const days = stay && { checkIn: moment(stay.checkIn), checkOut: moment(stay.checkOut), nights: int(stay.nights) };
  return { ...numbers, inputs, option, stay: days ?? undefined };
}
