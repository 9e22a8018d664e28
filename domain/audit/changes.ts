/** The difference between what a resource shows before and after a change (G14). Pure. */

/**
 * A field of the resource by its path (`shippingPolicy.jejuSurcharge`, `variants[1].additionalPrice`), with its values as the API shows
 * them.
 */
export interface Change {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}
/** How the fields of a type of resource are listed. */
export interface Listing {
  /**
   * What is given out or follows from the change, and is not listed: ids, numbers, versions, timestamps of the change. By its path, without
   * the places in lists (`variants[].variantId`): a field that a user names alike elsewhere is listed. Nothing that a user writes is one of
   * them.
   */
  readonly given?: readonly string[];
  /** Fields of any depth whose values are not shown: secrets, sellerMemo, buyers' personal data. Listed with null on both sides. */
  readonly hidden?: readonly string[];
  /** By its path, as `given`: what time, or others, move apart from the change. Shown, but no approval depends on it (G51). */
  readonly levels?: readonly string[];
  /** So many lines at most; 500 when left out. */
  readonly max?: number;
}
type Shown = object | null;

const CREATED: readonly Change[] = [];
const DELETED: Change = { field: 'deleted', before: false, after: true };
/** More lines than a person reads are left out: the facts tell how much there is. */
const MAX_LINES = 500;
/** `variants[1].additionalPrice` → `variants[].additionalPrice` */
export const pathOf = (field: string): string => field.replaceAll(/\[\d+\]/g, '[]');

/**
 * At most 500, or `max`, in the order of their paths. `before` null: a creation, with a line for each field that is not null; `after`
 * null: a deletion, one line; both null: nothing.
 */
export const changesBetween = (before: Shown, after: Shown, listing: Listing = {}): readonly Change[] =>
  shownOf(allChanges(before, after, listing, maxShown(listing)), listing);

/** So many of them are shown. */
export const maxShown = ({ max = MAX_LINES }: Listing): number => max;

/** Those that are shown, in the order of their paths. Where there are more, amounts of money come before all others. */
export function shownOf(all: readonly Change[], listing: Listing = {}): readonly Change[] {
  const max = maxShown(listing);
  const shown = all.length <= max ? all : [...all.filter(isMoney), ...all.filter((change) => !isMoney(change))].slice(0, max);
  return shown.toSorted((a, b) => inOrder.compare(a.field, b.field));
}
const isMoney = ({ field }: Change): boolean => /(?:price|fee|amount|surcharge|discount)$/i.test(field);

/** All of them, however many, or the first `max`, in the order of the fields. Whatever decides on a change decides on all of it. */
export function allChanges(before: Shown, after: Shown, listing: Listing = {}, max = Infinity): readonly Change[] {
  const portions = changesInPortions(before, after, listing, max);
  for (;;) {
    const { done, value } = portions.next();
    if (done) return value;
  }
}

/** The same a field or an entry of a list at a time: who compares what is large lets others run in between. */
export function* changesInPortions(before: Shown, after: Shown, listing: Listing = {}, max = Infinity): Generator<void, readonly Change[]> {
  if (after === null) return before === null ? CREATED : [DELETED];
  const comparison = new Comparison(listing, max);
  for (const name of namesOf(before, after)) {
    if (comparison.isFull) break;
    const [earlier, later] = [valueOf(before, name), valueOf(after, name)];
    if (areListsOfRecords(earlier, later) && comparison.isListed(name))
      for (let i = 0; i < lengthOf(earlier, later); i++) {
        comparison.ofEntry(name, name, i, [earlier, later]);
        yield;
      }
    else comparison.of(name, name, name, [earlier, later]);
    yield;
  }
  return comparison.lines.slice(0, max);
}

/** Values before and after. */
type Values = readonly [earlier: unknown, later: unknown];

class Comparison {
  readonly lines: Change[] = [];
  readonly #given: ReadonlySet<string>;
  readonly #hidden: ReadonlySet<string>;
  readonly #max: number;
  constructor({ given = [], hidden = [] }: Listing, max: number) {
    this.#max = max;
    this.#given = new Set(given);
    this.#hidden = new Set(hidden);
  }
  /** Nothing more is listed. */
  get isFull(): boolean {
    return this.lines.length >= this.#max;
  }
  /** A list of this name at the top is compared entry by entry. */
  isListed(name: string): boolean {
    return !this.#given.has(name) && !this.#hidden.has(name);
  }
  /** `path`: of the field, without the places in lists. */
  of(field: string, path: string, name: string, [earlier, later]: Values): void {
    if (this.#given.has(path) || isEqual(earlier, later)) return;
    if (this.#hidden.has(name)) this.lines.push({ field, before: null, after: null });
    else if (areRecords(earlier, later)) this.#ofFields(`${field}.`, `${path}.`, [earlier ?? null, later ?? null]);
    else if (areListsOfRecords(earlier, later))
      for (let i = 0; i < lengthOf(earlier, later); i++) this.ofEntry(field, path, i, [earlier, later]);
    else this.lines.push({ field, before: earlier ?? null, after: later ?? null });
  }
  ofEntry(field: string, path: string, i: number, [earlier, later]: Values): void {
    this.#ofFields(`${field}[${i}].`, `${path}[].`, [(earlier as Entries)?.[i] ?? null, (later as Entries)?.[i] ?? null]);
  }
  #ofFields(prefix: string, path: string, [earlier, later]: Values): void {
    if (this.isFull) return;
    for (const name of namesOf(earlier as Shown, later as Shown))
      this.of(`${prefix}${name}`, `${path}${name}`, name, [valueOf(earlier as Shown, name), valueOf(later as Shown, name)]);
  }
}
type Entries = readonly object[] | null | undefined;
const lengthOf = (earlier: unknown, later: unknown): number => Math.max((earlier as Entries)?.length ?? 0, (later as Entries)?.length ?? 0);

/** Of the one after, then those that only the one before has. */
function namesOf(earlier: Shown, later: Shown): readonly string[] {
  const names = later === null ? [] : Object.keys(later);
  if (earlier !== null) for (const name of Object.keys(earlier)) if (later === null || !Object.hasOwn(later, name)) names.push(name);
  return names;
}
const inOrder = new Intl.Collator('en', { numeric: true });
const valueOf = (of: Shown, name: string): unknown => (of as Readonly<Record<string, unknown>> | null)?.[name];
const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
/** At least one record, and nothing else on the other side. */
const areRecords = (earlier: unknown, later: unknown): boolean =>
  (isRecord(earlier) && (isRecord(later) || later === null || later === undefined)) ||
  (isRecord(later) && (earlier === null || earlier === undefined));
const isListOfRecords = (value: unknown): value is readonly object[] => Array.isArray(value) && value.length > 0 && value.every(isRecord);
const isEmpty = (value: unknown) => value === null || value === undefined || (Array.isArray(value) && value.length === 0);
const areListsOfRecords = (earlier: unknown, later: unknown): boolean =>
  (isListOfRecords(earlier) && (isListOfRecords(later) || isEmpty(later))) || (isListOfRecords(later) && isEmpty(earlier));

/** Null and absent are the same. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  return namesOf(a, b).every((name) => isEqual(valueOf(a, name), valueOf(b, name)));
}
const isNothing = (value: unknown) => value === null || value === undefined;
