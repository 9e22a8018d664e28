/** Schemas: one value is the type, the validation and the OpenAPI component. Objects are closed: unknown fields fail. */
import { NAME } from './documentedSchema.ts';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { VISIBLE } from '../../domain/kernel/text.ts';
import { MOMENT, YEAR } from '../../domain/kernel/time.ts';

export { Type, type Static, type TObject, type TSchema };

/**
 * A value of which only the valid parts are left: items and fields may be undefined. A field that was sent and refused is present
 * (`'stock' in body`) but undefined, so that an operation's `check` never sees invalid values.
 */
export type Fitting<T> = T extends readonly (infer Item)[]
  ? readonly (Fitting<Item> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Fitting<T[K]> | undefined }
    : T;

/**
 * An object without additional properties. `x-document`: constraints for the documents only, which code checks. Do not apply Partial, Pick
 * or Omit to one: they would allow additional properties again.
 */
export const closed = <P extends TProperties>(
  properties: P,
  options: { title?: string; description?: string; 'x-document'?: object } = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const oneOf = <const V extends string[]>(values: readonly [...V], description?: string) =>
  Type.Enum<V>(values, description ? { description } : {});

export const Won = Type.Integer({ minimum: 0, maximum: 2_000_000_000, description: 'Won' });
export const Count = Type.Integer({ minimum: 0 });
/** Values by names that the sender chooses: any text, at most 400 of them. */
export const valuesOf = <S extends TSchema>(value: S) =>
  Type.Record(Type.String(), value, { additionalProperties: false, maxProperties: 400 });
/** `2026-11-20T09:30:00+09:00` */
export const Timestamp = Type.String({ format: 'date-time', pattern: MOMENT, maxLength: 40, description: 'ISO 8601, Korean time' });
/** `2026-11-20`, a Korean day. */
export const Day = Type.String({ format: 'date', pattern: `^${YEAR}-`, description: 'YYYY-MM-DD, Korean time' });
export const Id = Type.String({ minLength: 1, maxLength: 64 });
/** Text that people read and that has to say something: at least one visible character; white space around it is dropped. */
export const VISIBLE_TEXT = VISIBLE;
export const Name = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: VISIBLE_TEXT, 'x-document': { pattern: NAME } });
export const Keyword = Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name' });
export const Phone = Type.String({
  pattern: '^[0-9-]{9,20}$',
  allOf: [{ pattern: '^-*(?:[0-9]-*){8}' }],
  description: 'Digits and hyphens, 9 to 20, of which at least 8 are digits',
  'x-document': { pattern: '^-*(?:[0-9]-*){8,20}$', minLength: 9, maxLength: 20 },
});
/** A password, a secret or an address of the web: it stays as it was sent. */
export const VERBATIM = { 'x-verbatim': true } as const;
export const ZipCode = Type.String({ pattern: '^[0-9]{5}$' });
export const Email = Type.String({ format: 'email', maxLength: 254 });

export const Address = closed(
  {
    receiverName: Name(50),
    phone: Phone,
    zipCode: ZipCode,
    address1: Name(200),
    address2: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { title: 'Address' },
);

/** Nights from check-in to the day before check-out. */
export const Stay = closed({ checkIn: Day, checkOut: Day }, { title: 'Stay' });
export const PricedStay = closed(
  { checkIn: Day, checkOut: Day, nights: Type.Array(closed({ date: Day, price: Won })) },
  { title: 'PricedStay' },
);
type PricedStayRow = { readonly checkIn: string; readonly checkOut: string; readonly nights: readonly { date: string; price: number }[] };
export const viewStay = ({ checkIn, checkOut, nights }: PricedStayRow) => ({ checkIn, checkOut, nights: [...nights] });

/** The largest offset of a page; cursors lead further. */
const MAX_PASSED = 100_000;
export const paging = {
  page: Type.Integer({ minimum: 1, maximum: MAX_PASSED + 1, default: 1 }),
  size: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};
/** Of short lists that once were answered whole: a hundred at once. */
export const wholePaging = { ...paging, size: Type.Integer({ minimum: 1, maximum: 100, default: 100 }) };
/** Problems of the combination of page and size. */
export const pagingProblems = ({ page = 1, size = 1 }: { readonly page?: number; readonly size?: number }): FieldError[] =>
  (page - 1) * size > MAX_PASSED
    ? [
        {
          field: 'page',
          code: 'OUT_OF_RANGE',
          message: `At most ${MAX_PASSED} rows are passed over: read on with a cursor, or narrow the list.`,
        },
      ]
    : [];
/** `data` of a list response. */
export const listOf = <S extends TSchema>(item: S) => closed({ items: Type.Array(item), page: Count, size: Count, total: Count });
/** `data` of a bulk response: a code per item, always with status 200. */
export const bulkOf = (title: string) =>
  closed(
    {
      results: Type.Array(closed({ id: Id, isSuccess: Type.Boolean(), code: Type.String(), message: Type.String() })),
      succeeded: Count,
      failed: Count,
    },
    { title },
  );
export const page = <T>(query: { page: number; size: number }, items: T[], total: number) => ({
  items,
  page: query.page,
  size: query.size,
  total,
});
