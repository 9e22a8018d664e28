/** Options: up to three axes, and a variant for each combination of their values (part A § Product, D56). */
import type { FieldError } from '../kernel/errors.ts';

export const MOST_AXES = 3;
export const MOST_VALUES = 100;
export const MOST_VARIANTS = 500;

export interface OptionGroup {
  readonly name: string;
  readonly values: readonly string[];
}
/** What a request says of one combination. */
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

/** All combinations, the last axis fastest: 2 × 2 gives 회색/S, 회색/L, 남색/S, 남색/L. No axes: one, empty. */
const combinations = (groups: readonly OptionGroup[]): string[][] =>
  groups.reduce<string[][]>((heads, group) => heads.flatMap((head) => group.values.map((value) => [...head, value])), [[]]);

const keyOf = (values: readonly string[]): string => JSON.stringify(values);

/** The combinations of a product with what the request says of each; one that it does not name is empty, free and sellable. */
export function variantsOf(groups: readonly OptionGroup[], wanted: readonly WantedVariant[]): WantedVariant[] {
  const said = new Map(wanted.map((variant) => [keyOf(variant.optionValues), variant]));
  return combinations(groups).map((optionValues) => said.get(keyOf(optionValues)) ?? { optionValues });
}

export interface OptionRequest {
  readonly salePrice?: unknown;
  readonly stockQuantity?: unknown;
  readonly optionGroups?: unknown;
  readonly variants?: unknown;
}
const isGroup = (value: unknown): value is OptionGroup =>
  typeof value === 'object' && value !== null && 'name' in value && 'values' in value && Array.isArray(value.values);
const isVariant = (value: unknown): value is WantedVariant =>
  typeof value === 'object' && value !== null && 'optionValues' in value && Array.isArray(value.optionValues);

/** What the schema cannot see: doubled axes, values or combinations, unknown combinations, too many, prices below 10 won. */
export function optionProblems({ salePrice, stockQuantity, optionGroups = [], variants = [] }: OptionRequest): FieldError[] {
  if (!Array.isArray(optionGroups) || !Array.isArray(variants) || !optionGroups.every(isGroup)) return [];
  const groups: readonly OptionGroup[] = optionGroups;
  const problems: FieldError[] = [
    ...doubled(
      groups.map((group) => group.name),
      (i) => `optionGroups[${i}].name`,
    ),
  ];
  groups.forEach((group, i) => problems.push(...doubled(group.values, (j) => `optionGroups[${i}].values[${j}]`)));
  if (groups.length > 0 && stockQuantity !== undefined)
    problems.push({ field: 'stockQuantity', code: 'INVALID', message: 'With options each variant has a stock of its own.' });
  const count = groups.reduce((product, group) => product * group.values.length, 1);
  if (count > MOST_VARIANTS)
    return [...problems, { field: 'optionGroups', code: 'OUT_OF_RANGE', message: `${count} combinations; at most ${MOST_VARIANTS}.` }];
  const known = new Set(combinations(groups).map(keyOf));
  const keys = variants.map((variant) => (isVariant(variant) ? keyOf(variant.optionValues) : ''));
  keys.forEach((key, i) => {
    if (key !== '' && !known.has(key))
      problems.push({ field: `variants[${i}].optionValues`, code: 'INVALID', message: 'There is no such combination.' });
  });
  problems.push(
    ...doubled(
      keys.filter((key) => key !== ''),
      (i) => `variants[${i}].optionValues`,
    ),
  );
  variants.forEach((variant, i) => {
    const more = isVariant(variant) ? variant.additionalPrice : undefined;
    if (typeof more === 'number' && typeof salePrice === 'number' && salePrice + more < 10)
      problems.push({ field: `variants[${i}].additionalPrice`, code: 'OUT_OF_RANGE', message: 'The price must stay at 10 won or more.' });
  });
  return problems;
}

const doubled = (names: readonly unknown[], field: (i: number) => string): FieldError[] =>
  names.flatMap((name, i) => (names.indexOf(name) < i ? [{ field: field(i), code: 'DUPLICATE', message: 'It is named twice.' }] : []));
