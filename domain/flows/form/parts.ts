/** What the forms of graphs are made of. `x-document` holds what documents tell and `checkGraph` judges. */
import { VISIBLE, VISIBLE_PLAIN } from '../../kernel/text.ts';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

const ID = '^[A-Za-z][A-Za-z0-9_-]{0,39}$';
export const FLOW_KEY = '^[a-z][a-z0-9-]{1,39}$';
const DURATION = '^P(?:[0-9]{1,4}W)?(?:[0-9]{1,4}D)?(?:T(?:[0-9]{1,5}H)?(?:[0-9]{1,6}M)?(?:[0-9]{1,8}S)?)?$';

export const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
export const oneOf = <const V extends string[]>(values: readonly [...V]) => Type.Enum<V>(values);
export const listOf = <S extends TSchema>(item: S, maxItems: number, minItems = 0) => Type.Array(item, { minItems, maxItems });
/** A text of which the document tells the values. */
export const checked = (values: readonly string[], maxLength = 40) => Type.String({ maxLength, 'x-document': { enum: values } });

export const Id = Type.String({ pattern: ID, maxLength: 40 });
/** The id of something else in the graph. */
export const Reference = Type.String({ maxLength: 100, 'x-document': { pattern: ID } });
export const Label = Type.String({ minLength: 1, maxLength: 40, pattern: VISIBLE, 'x-document': { pattern: VISIBLE_PLAIN } });
const PLACEHOLDERS = 'Text with placeholders {{inputs.*}}, {{data.*}}, {{item.*}}, {{fulfillment.*}}';
export const template = (maxLength: number) => Type.String({ maxLength, description: PLACEHOLDERS });
export const Duration = Type.String({
  maxLength: 40,
  description: 'ISO 8601 without months and years, one second to 400 days',
  'x-document': { pattern: DURATION },
});
export const expression = (type: 'bool' | 'int' | 'time') =>
  Type.String({ maxLength: 4000, description: `An expression that gives ${type}`, 'x-document': { maxLength: 1000 } });

/** An object whose `type` says which of these it is; only the problems of that one are told. */
export function taggedByType<const S extends readonly TObject[]>(alternatives: S) {
  const types = alternatives.flatMap(({ properties }) => tagsOf(properties['type']!));
  return Type.Unsafe<Static<S[number]>>({
    type: 'object',
    properties: { type: Type.Enum(types) },
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: alternatives,
  });
}
/** The values that a `type` may have. */
const tagsOf = (schema: object): string[] => {
  const { const: only, enum: values = [] } = schema as { readonly const?: string; readonly enum?: readonly string[] };
  return only === undefined ? [...values] : [only];
};
