/** Options: up to three axes (option groups), and a variant for each combination of their values (docs/contract.md#options). */
import type { FieldError } from '../kernel/errors.ts';
import { seen } from '../kernel/text.ts';
import { MIN_WON } from './prices.ts';

export const MAX_AXES = 3;
export const MAX_VALUES = 100;
export const MAX_VARIANTS = 500;

export interface OptionGroup {
  readonly name: string;
  readonly values: readonly string[];
}
/** One combination in a request. */
export interface WantedVariant {
  readonly optionValues: readonly string[];
  readonly stockQuantity?: number;
  readonly additionalPrice?: number;
  readonly isSellable?: boolean;
  readonly sku?: string | null;
  readonly barcode?: string | null;
  readonly sellerCode?: string | null;
  readonly costPrice?: number | null;
  readonly weightGram?: number | null;
  readonly attributes?: Readonly<Record<string, string>> | null;
}

/** All combinations, the last axis varying fastest: 2 × 2 gives 회색/S, 회색/L, 남색/S, 남색/L. Without axes: one empty combination. */
const combinations = (groups: readonly Pick<OptionGroup, 'values'>[]): string[][] =>
  groups.reduce<string[][]>((heads, group) => heads.flatMap((head) => group.values.map((value) => [...head, value])), [[]]);

const keyOf = (values: readonly string[]): string => JSON.stringify(values);

/** All combinations of a product; one that the request does not name gets no stock, no additional price, and is sellable. */
export function variantsOf(groups: readonly OptionGroup[], wanted: readonly WantedVariant[]): WantedVariant[] {
  const requested = new Map(wanted.map((variant) => [keyOf(variant.optionValues), variant]));
  return combinations(groups).map((optionValues) => requested.get(keyOf(optionValues)) ?? { optionValues });
}

/** A request of which parts that failed the schema are undefined; items keep their index. */
export interface OptionRequest {
  readonly salePrice?: number | undefined;
  readonly stockQuantity?: number | undefined;
  readonly optionGroups?: readonly (Axis | undefined)[] | undefined;
  readonly variants?: readonly (PartialVariant | undefined)[] | undefined;
}
interface Axis {
  readonly name?: string | undefined;
  readonly values?: readonly (string | undefined)[] | undefined;
}
interface PartialVariant {
  readonly optionValues?: readonly (string | undefined)[] | undefined;
  readonly additionalPrice?: number | undefined;
}

const isWhole = (values: readonly (string | undefined)[] | undefined): values is readonly string[] =>
  values !== undefined && values.every((value) => value !== undefined);
/** Whether every axis is valid and has values: only then can combinations be computed. */
const isModel = (axes: readonly (Axis | undefined)[]): axes is readonly { readonly values: readonly string[] }[] =>
  axes.every((axis) => axis?.values !== undefined && axis.values.length > 0 && isWhole(axis.values));

/**
 * Problems that the schema cannot express: duplicate axes, values or combinations, unknown combinations, too many, prices below 10 won.
 * Linear in the request; combinations are built only when the axes are valid and at most 500 (X6).
 */
export function optionProblems({ salePrice, stockQuantity, optionGroups: axes = [], variants = [] }: OptionRequest): FieldError[] {
  const problems = doubled(
    axes.map((axis) => axis?.name),
    (i) => `optionGroups[${i}].name`,
  );
  for (const [i, axis] of axes.entries()) problems.push(...doubled(axis?.values ?? [], (j) => `optionGroups[${i}].values[${j}]`));
  if (axes.length > 0 && stockQuantity !== undefined)
    problems.push({ field: 'stockQuantity', code: 'INVALID', message: 'With options each variant has a stock of its own.' });
  const count = isModel(axes) ? axes.reduce((product, { values }) => product * values.length, 1) : null;
  if (count !== null && count > MAX_VARIANTS)
    return [...problems, { field: 'optionGroups', code: 'OUT_OF_RANGE', message: `${count} combinations; at most ${MAX_VARIANTS}.` }];
  return [...problems, ...variantProblems(isModel(axes) ? combinations(axes) : null, variants, salePrice)];
}

/** `known`: the existing combinations; null when the axes are invalid. */
function variantProblems(
  known: readonly (readonly string[])[] | null,
  variants: readonly (PartialVariant | undefined)[],
  salePrice: number | undefined,
): FieldError[] {
  const keys = variants.map((variant) => (isWhole(variant?.optionValues) ? keyOf(variant.optionValues) : undefined));
  const knownKeys = known && new Set(known.map(keyOf));
  const unknown = keys.flatMap((key, i) =>
    knownKeys && key !== undefined && !knownKeys.has(key)
      ? [{ field: `variants[${i}].optionValues`, code: 'INVALID', message: 'There is no such combination.' }]
      : [],
  );
  const tooCheap = variants.flatMap((variant, i) =>
    variant?.additionalPrice !== undefined && salePrice !== undefined && salePrice + variant.additionalPrice < MIN_WON
      ? [{ field: `variants[${i}].additionalPrice`, code: 'OUT_OF_RANGE', message: 'The price must stay at 10 won or more.' }]
      : [],
  );
  return [...unknown, ...doubled(keys, (i) => `variants[${i}].optionValues`), ...tooCheap];
}

/** A DUPLICATE for each name that occurred before, or one that nobody can tell from it; undefined is ignored. */
function doubled(names: readonly (string | undefined)[], field: (i: number) => string): FieldError[] {
  const known = new Set<string>();
  return names.flatMap((name, i) => {
    if (name === undefined) return [];
    const isNew = !known.has(seen(name));
    known.add(seen(name));
    return isNew ? [] : [{ field: field(i), code: 'DUPLICATE', message: 'It is named twice.' }];
  });
}
