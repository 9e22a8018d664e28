/** The difference between what a resource shows before and after a change (G14). Pure. */

/** A field of the resource by its path (`shippingPolicy.jejuSurcharge`, `variants[1].additionalPrice`), with its values as the API shows them. */
export interface Change {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}
/** How the fields of a type of resource are listed. */
export interface Listing {
  /**
   * What is given out or follows from the change, and is not listed: ids, numbers, versions, timestamps of the change. By its path, without the
   * places in lists (`variants[].variantId`): a field that a user names alike elsewhere is listed. Nothing that a user writes is one of them.
   */
  readonly given?: readonly string[];
  /** Fields of any depth whose values are not shown: secrets, sellerMemo, buyers' personal data. Listed with null on both sides. */
  readonly hidden?: readonly string[];
  /** By its path, as `given`: what time, or others, move apart from the change. Shown, but no approval depends on it (G51). */
  readonly levels?: readonly string[];
  /** So many lines at most; 500 when left out. */
  readonly most?: number;
}
type Shown = object | null;

const CREATED: readonly Change[] = [];
const DELETED: Change = { field: 'deleted', before: false, after: true };
/** More lines than a person reads are left out: the facts tell how much there is. */
const MAX_LINES = 500;
/** `variants[1].additionalPrice` → `variants[].additionalPrice` */
export const pathOf = (field: string): string => field.replaceAll(/\[\d+\]/g, '[]');

/** At most 500, or `most`, in the order of their paths. `before` null: a creation, with a line for each field that is not null; `after` null: a deletion, one line; both null: nothing. */
export const changesBetween = (before: Shown, after: Shown, listing: Listing = {}): readonly Change[] =>
  shownOf(allChanges(before, after, listing, listing.most ?? MAX_LINES), listing);

/** Those that are shown. */
export const shownOf = (all: readonly Change[], { most = MAX_LINES }: Listing = {}): readonly Change[] =>
  all.slice(0, most).toSorted((a, b) => inOrder.compare(a.field, b.field));

/** All of them, however many, or the first `most`, in the order of the fields. Whatever decides on a change decides on all of it (G51). */
export function allChanges(before: Shown, after: Shown, listing: Listing = {}, most = Infinity): readonly Change[] {
  if (after === null) return before === null ? CREATED : [DELETED];
  const skipped = new Set(listing.given ?? []);
  const hidden = new Set(listing.hidden ?? []);
  const lines: Change[] = [];
  const compare = (field: string, name: string, was: unknown, is: unknown): void => {
    if (lines.length >= most || skipped.has(pathOf(field)) || isEqual(was, is)) return;
    if (hidden.has(name)) lines.push({ field, before: null, after: null });
    else if (areRecords(was, is)) compareFields(`${field}.`, was ?? null, is ?? null);
    else if (areListsOfRecords(was, is)) compareItems(field, (was ?? []) as object[], (is ?? []) as object[]);
    else lines.push({ field, before: was ?? null, after: is ?? null });
  };
  const compareFields = (prefix: string, was: Shown, is: Shown): void => {
    for (const name of new Set([...Object.keys(is ?? {}), ...Object.keys(was ?? {})]))
      compare(`${prefix}${name}`, name, valueOf(was, name), valueOf(is, name));
  };
  const compareItems = (field: string, was: readonly object[], is: readonly object[]): void => {
    for (let i = 0; i < Math.max(was.length, is.length) && lines.length < most; i++)
      compareFields(`${field}[${i}].`, was[i] ?? null, is[i] ?? null);
  };
  compareFields('', before, after);
  return lines;
}

const inOrder = new Intl.Collator('en', { numeric: true });
const valueOf = (of: Shown, name: string): unknown => (of as Readonly<Record<string, unknown>> | null)?.[name];
const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
/** At least one record, and nothing else on the other side. */
const areRecords = (was: unknown, is: unknown): boolean =>
  (isRecord(was) && (isRecord(is) || is === null || is === undefined)) || (isRecord(is) && (was === null || was === undefined));
const isListOfRecords = (value: unknown): value is readonly object[] => Array.isArray(value) && value.length > 0 && value.every(isRecord);
const isEmpty = (value: unknown) => value === null || value === undefined || (Array.isArray(value) && value.length === 0);
const areListsOfRecords = (was: unknown, is: unknown): boolean =>
  (isListOfRecords(was) && (isListOfRecords(is) || isEmpty(is))) || (isListOfRecords(is) && isEmpty(was));

/** Null and absent are the same. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isEqual(valueOf(a, name), valueOf(b, name)));
}
const isNothing = (value: unknown) => value === null || value === undefined;
