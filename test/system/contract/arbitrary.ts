/** Values that fit a JSON schema, as far as the schemas of the documents go. */
import fc, { type Arbitrary } from 'fast-check';
import { NAME, TEXT } from '../../../api/declare/documentedSchema.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly not?: Schema;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
}
type Schemas = Readonly<Record<string, Schema>>;

export function arbitrary(schema: Schema, schemas: Schemas): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return arbitrary(schemas[schema.$ref.split('/').at(-1)!]!, schemas);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf && schema.type === undefined) return fc.oneof(...schema.anyOf.map((one) => arbitrary(one, schemas)));
  // Alternatives that are whole by themselves, told apart by their type.
  if (schema.oneOf?.every(({ additionalProperties }) => additionalProperties === false))
    return fc.oneof(...schema.oneOf.map((one) => arbitrary(one, schemas)));
  if (schema.type === 'object') return objects(schema, schemas);
  if (schema.type === 'array') return lists(schema, schemas);
  if (schema.type === 'string') return texts(schema);
  if (schema.type === 'integer' || schema.type === 'number') return wholes(schema);
  if (schema.type === 'boolean') return fc.boolean();
  return fc.constant(null);
}

/** With rules between its fields: one of the ways in which they allow it. */
function objects(schema: Schema, schemas: Schemas): Arbitrary<unknown> {
  const { properties = {}, propertyNames, additionalProperties, required = [] } = schema;
  if (propertyNames && typeof additionalProperties === 'object')
    return fc.dictionary(
      arbitrary({ type: 'string', ...propertyNames }, schemas) as Arbitrary<string>,
      arbitrary(additionalProperties, schemas),
      { maxKeys: 3 },
    );
  const way = ({ properties: more = {}, required: also = [] }: Schema, not: readonly string[]) => {
    const fields = Object.entries(properties).filter(([name]) => !not.includes(name) && !more[name]?.not);
    const inner = fields.map(
      ([name, field]) => [name, arbitrary(name in more ? { ...field, ...only(more[name]!) } : field, schemas)] as const,
    );
    return fc.record(Object.fromEntries(inner), { requiredKeys: [...required, ...also] });
  };
  const others = (one: Schema) => (schema.oneOf ?? []).filter((other) => other !== one).flatMap((other) => other.required ?? []);
  // Fields that need each other, and leave no room for any more.
  const sets = schema.maxProperties === undefined ? [] : Object.entries(schema.dependentRequired ?? {}).map((set) => set.flat());
  const without = (set: readonly string[]) => Object.keys(properties).filter((name) => !set.includes(name));
  if (sets.length > 0) return fc.oneof(...sets.map((set) => way({ required: set }, without(set))));
  const ways = schema.oneOf ?? schema.anyOf;
  return ways ? fc.oneof(...ways.map((one) => way(one, others(one)))) : way({}, []);
}
/** A narrower schema takes the place of the alternatives of the wider one. */
const only = (narrow: Schema): Schema =>
  'const' in narrow || narrow.enum || narrow.type ? { anyOf: undefined as never, ...narrow } : narrow;

function lists({ items = {}, minItems = 0, maxItems = 3, uniqueItems = false, allOf = [] }: Schema, schemas: Schemas): Arbitrary<unknown> {
  const item = arbitrary(items, schemas);
  const wanted = allOf.filter(({ contains, minContains = 1 }) => contains && minContains > 0).map(({ contains }) => contains!.properties!);
  if (wanted.length > 0)
    return fc.tuple(
      ...wanted.map((kind) =>
        item.map((value) => ({
          ...(value as object),
          ...Object.fromEntries(Object.entries(kind).map(([name, field]) => [name, field.const])),
        })),
      ),
    );
  const size = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) };
  return uniqueItems ? fc.uniqueArray(item, { ...size, selector: (value) => JSON.stringify(value) }) : fc.array(item, size);
}

const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  date: fc
    .date({ min: new Date('1900-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  'date-time': fc.date({ min: new Date('2027-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }).map((at) => at.toISOString()),
  email: fc.emailAddress(),
  uri: fc.webUrl({ validSchemes: ['https'] }),
};
const MAX_MISSES = 10_000;
function texts({ pattern, format, minLength = 0, maxLength = 60 }: Schema): Arbitrary<string> {
  const known = format === undefined ? undefined : FORMATS[format];
  const isText = pattern === undefined || pattern === TEXT || pattern === NAME;
  const made =
    known ??
    (isText
      ? fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) })
      : fc.stringMatching(new RegExp(pattern)));
  const wanted = pattern === undefined ? null : new RegExp(pattern, 'u');
  let misses = 0;
  return made.filter((text) => {
    const isOne = lengthOf(text) <= maxLength && lengthOf(text) >= minLength && (wanted === null || wanted.test(text));
    misses = isOne ? 0 : misses + 1;
    // A filter goes on for ever.
    if (misses > MAX_MISSES) throw new Error(`no text of ${minLength} to ${maxLength} was found for ${pattern}`);
    return isOne;
  });
}

/** As JSON Schema counts: code points. */
const lengthOf = (text: string): number => Array.from(text).length;

function wholes({ minimum = 0, maximum = 1000, multipleOf = 1 }: Schema): Arbitrary<number> {
  return fc.integer({ min: Math.ceil(minimum / multipleOf), max: Math.floor(maximum / multipleOf) }).map((n) => n * multipleOf);
}
