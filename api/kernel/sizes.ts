/**
 * Sizes come before contents (X6): what of a value its schema lets in. A list that is too long, a text that is too long, a field that
 * nobody knows and everything below level 20 is told once and judged no further. Linear in the value, and no deeper than 20 calls.
 */
import type { TSchema } from './schema.ts';

/** One problem, by its path in the value: `['items', 2, 'quantity']`. */
export interface Finding {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}
/** So many are told (X7): what is found after them is refused all the same. */
export const MAX_FINDINGS = 100;
/** No value of ours is nested deeper; the value itself is level 0. */
const DEEPEST = 20;

/** What of a JSON schema tells sizes, and what bounds a text in their place. */
export interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Shape[];
}
interface Walk {
  readonly found: Finding[];
  readonly path: (string | number)[];
}

/**
 * The part of a value that may be judged. What is refused is undefined in it, so that an item keeps its place and a field that was sent
 * is still `in` it; unknown fields are gone. The value itself where all of it may be.
 */
export function admit(schema: TSchema, value: unknown): { readonly value: unknown; readonly found: readonly Finding[] } {
  const walk: Walk = { found: [], path: [] };
  return { value: take(walk, schema, value), found: walk.found };
}

function note(walk: Walk, code: string, message: string, ...field: string[]): undefined {
  if (!isFull(walk)) walk.found.push({ path: [...walk.path, ...field], code, message });
}

function take(walk: Walk, schema: Shape, value: unknown): unknown {
  const branch = branchFor(value, schema);
  if (branch === undefined) return note(walk, 'INVALID_TYPE', `must be ${typesOf(schema)[0]}`);
  if (branch !== null && walk.path.length <= DEEPEST) {
    if (typeof value === 'string') return takeText(walk, branch, value);
    if (Array.isArray(value)) return takeList(walk, branch, value);
    if (typeof value === 'object' && value !== null) return takeObject(walk, branch, value);
    return value;
  }
  const before = walk.found.length;
  look(walk, value);
  return walk.found.length > before ? undefined : value;
}

/** What no schema speaks of the inside of: its texts and its depth only. */
function look(walk: Walk, value: unknown): void {
  if (typeof value === 'string' && isBroken(value)) note(walk, 'CONTROL_CHARACTER', BROKEN_TEXT);
  if (typeof value !== 'object' || value === null) return;
  if (walk.path.length > DEEPEST) return note(walk, 'TOO_DEEP', `is nested deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) for (let i = 0; i < value.length && !isFull(walk); i++) lookBelow(walk, i, value[i]);
  else
    // What JSON makes inherits nothing that could be met here, and a list of names for each object would be garbage by the megabyte.
    for (const key in value) {
      if (isFull(walk)) return;
      if (isBroken(key)) note(walk, 'CONTROL_CHARACTER', BROKEN_NAME);
      lookBelow(walk, key, (value as Readonly<Record<string, unknown>>)[key]);
    }
}
function lookBelow(walk: Walk, step: string | number, value: unknown): void {
  walk.path.push(step);
  look(walk, value);
  walk.path.pop();
}
const BROKEN_TEXT = 'has control characters or broken text';
const BROKEN_NAME = 'has a field name with control characters';

/** The branch that speaks of values of this type; null where none says a type, or several do; undefined where the type is none of theirs. */
function branchFor(value: unknown, schema: Shape): Shape | null | undefined {
  const branches = schema.anyOf ?? [schema];
  if (branches.some(({ type }) => type === undefined)) return null;
  const fitting = branches.filter(({ type }) => isOf(type!, value));
  return fitting.length > 1 ? null : fitting[0];
}
function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'null' || value === null) return type === 'null' && value === null;
  return type === 'array' ? Array.isArray(value) : typeof value === type && !Array.isArray(value);
}
const typesOf = (schema: Shape): string[] => (schema.anyOf ?? [schema]).flatMap(({ type }) => type ?? []);

// oxlint-disable-next-line no-control-regex -- finding them is the point
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** Control characters (all but tab and line breaks) and lone surrogates, which Postgres would refuse with a 500. */
const isBroken = (text: string) => REFUSED.test(text) || !text.isWellFormed();

function takeText(walk: Walk, schema: Shape, text: string): unknown {
  const most = schema.maxLength;
  if (most !== undefined && isLonger(text, most)) return note(walk, 'TOO_LONG', `must NOT have more than ${most} characters`);
  return isBroken(text) ? note(walk, 'CONTROL_CHARACTER', BROKEN_TEXT) : text;
}

/** Counted in characters, as JSON Schema does; no text is counted to its end that is twice too long. */
const isLonger = (text: string, most: number): boolean => text.length > 2 * most || (text.length > most && Array.from(text).length > most);

function takeList(walk: Walk, schema: Shape, list: readonly unknown[]): unknown {
  const most = schema.maxItems;
  if (most !== undefined && list.length > most) return note(walk, 'TOO_MANY', `must NOT have more than ${most} items`);
  let kept: unknown[] | undefined;
  for (let i = 0; i < list.length && !isFull(walk); i++) {
    const item = below(walk, i, schema.items ?? {}, list[i]);
    if (item !== list[i]) (kept ??= [...list])[i] = item;
  }
  return kept ?? list;
}

function takeObject(walk: Walk, schema: Shape, sent: object): unknown {
  const fields = sent as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  const most = schema.maxProperties;
  if (most !== undefined && keys.length > most) return note(walk, 'TOO_MANY', `must NOT have more than ${most} fields`);
  const isClosed = schema.additionalProperties === false;
  const kept: [string, unknown][] = [];
  let isWhole = true;
  for (const key of keys) {
    if (isFull(walk)) return undefined;
    const known = fieldOf(schema, key);
    if (!known) noteStranger(walk, key, isClosed);
    const value = below(walk, key, known ?? {}, fields[key]);
    const isKept = known !== null || !isClosed;
    if (isKept) kept.push([key, value]);
    isWhole &&= isKept && value === fields[key];
  }
  return isWhole ? sent : Object.fromEntries(kept);
}

function noteStranger(walk: Walk, key: string, isClosed: boolean): void {
  if (isBroken(key)) note(walk, 'CONTROL_CHARACTER', BROKEN_NAME);
  if (isClosed) note(walk, 'UNKNOWN_FIELD', 'must NOT have additional properties', key);
}

function below(walk: Walk, step: string | number, schema: Shape, value: unknown): unknown {
  walk.path.push(step);
  const taken = take(walk, schema, value);
  walk.path.pop();
  return taken;
}

/** Nothing that is found from here on would be told, and the request is refused already. */
const isFull = ({ found }: Walk) => found.length >= MAX_FINDINGS;

function fieldOf({ properties = {}, patternProperties = {} }: Shape, key: string): Shape | null {
  if (Object.hasOwn(properties, key)) return properties[key]!;
  for (const pattern in patternProperties) if (keyPattern(pattern).test(key)) return patternProperties[pattern]!;
  return null;
}
const patterns = new Map<string, RegExp>();
function keyPattern(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const compiled = new RegExp(pattern, 'u');
  patterns.set(pattern, compiled);
  return compiled;
}
