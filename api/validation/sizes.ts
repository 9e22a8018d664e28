/**
 * Limits of sizes are checked before the schema (X6): lists and texts that are too long, unknown fields and everything below level 20 are
 * reported once and not validated further. Linear in the size of the value, with at most 20 nested calls.
 */
import type { TSchema } from '../declare/schema.ts';

/** One problem, by its path in the value: `['items', 2, 'quantity']`. */
export interface Finding {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}
/** At most so many problems are reported. */
export const MAX_FINDINGS = 100;
/** The deepest level of any schema; the value itself is level 0. */
const DEEPEST = 20;

/** The parts of a JSON schema that limit sizes or bound a text in another way. */
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
  /** The field whose value says which of `oneOf` an object is. */
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly Shape[];
  readonly const?: unknown;
  /** Stays as it was sent: a password, a secret, an address of the web. */
  readonly 'x-verbatim'?: boolean;
  /** White space around it is dropped. */
  readonly 'x-trimmed'?: boolean;
}
interface Walk {
  readonly found: Finding[];
  readonly path: (string | number)[];
}

/**
 * The part of a value that may be validated further. Refused parts are undefined, so that items keep their index and sent fields are still
 * `in` it; unknown fields are removed. The same value where nothing is refused.
 */
export function admit(schema: TSchema, value: unknown): { readonly value: unknown; readonly found: readonly Finding[] } {
  const walk: Walk = { found: [], path: [] };
  return { value: admitValue(walk, schema, value), found: walk.found };
}

function report(walk: Walk, code: string, message: string, ...field: string[]): undefined {
  if (!isFull(walk)) walk.found.push({ path: [...walk.path, ...field], code, message });
}

function admitValue(walk: Walk, schema: Shape, value: unknown): unknown {
  const branch = branchFor(value, schema);
  if (branch === undefined) return report(walk, 'INVALID_TYPE', `must be ${typesOf(schema)[0]}`);
  if (branch !== null && walk.path.length <= DEEPEST) {
    if (typeof value === 'string') return admitText(walk, branch, value);
    if (Array.isArray(value)) return admitList(walk, branch, value);
    if (typeof value === 'object' && value !== null) return admitObject(walk, branch, value);
    return value;
  }
  const before = walk.found.length;
  walkUntyped(walk, value);
  return walk.found.length > before ? undefined : value;
}

/** Checks a value without a schema for its inside: texts and depth only. */
function walkUntyped(walk: Walk, value: unknown): void {
  if (typeof value === 'string' && isBroken(value)) report(walk, 'CONTROL_CHARACTER', BROKEN_TEXT);
  if (typeof value !== 'object' || value === null) return;
  if (walk.path.length > DEEPEST) return report(walk, 'TOO_DEEP', `is nested deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) for (let i = 0; i < value.length && !isFull(walk); i++) walkUntypedChild(walk, i, value[i]);
  else
    // Objects from JSON inherit no enumerable keys, and Object.keys would allocate megabytes.
    for (const key in value) {
      if (isFull(walk)) return;
      if (isBroken(key)) report(walk, 'CONTROL_CHARACTER', BROKEN_NAME);
      walkUntypedChild(walk, key, (value as Readonly<Record<string, unknown>>)[key]);
    }
}
function walkUntypedChild(walk: Walk, step: string | number, value: unknown): void {
  walk.path.push(step);
  walkUntyped(walk, value);
  walk.path.pop();
}
const BROKEN_TEXT = 'has control characters or broken text';
const BROKEN_NAME = 'has a field name with control characters';

/** The branch for values of this type; null when it is ambiguous or a branch has no type; undefined when no branch has the type. */
function branchFor(value: unknown, schema: Shape): Shape | null | undefined {
  const branches = schema.anyOf ?? [schema];
  if (branches.some(({ type }) => type === undefined)) return null;
  const fitting = branches.filter(({ type }) => isOf(type!, value));
  return fitting.length > 1 ? null : fitting[0] && alternativeFor(value, fitting[0]);
}
/** The same for whoever does not judge: an empty schema where the value has none of its own. */
export const shapeFor = (value: unknown, schema: Shape): Shape => branchFor(value, schema) ?? schema;
/** What an object says that it is; the schema itself where it says nothing known. */
function alternativeFor(value: unknown, schema: Shape): Shape {
  const { discriminator, oneOf = [] } = schema;
  if (!discriminator || typeof value !== 'object' || value === null) return schema;
  const tag = (value as Readonly<Record<string, unknown>>)[discriminator.propertyName];
  const isMeant = ({ const: only, enum: values = [only] }: Shape = {}) => tag !== undefined && values.includes(tag);
  return oneOf.find(({ properties }) => isMeant(properties?.[discriminator.propertyName])) ?? schema;
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
/** Control characters (all but tab and line breaks) and lone surrogates, which Postgres would reject with an error. */
const isBroken = (text: string) => REFUSED.test(text) || !text.isWellFormed();

function admitText(walk: Walk, schema: Shape, text: string): unknown {
  const max = schema.maxLength;
  if (max !== undefined && isLonger(text, max)) return report(walk, 'TOO_LONG', `must NOT have more than ${max} characters`);
  return isBroken(text) ? report(walk, 'CONTROL_CHARACTER', BROKEN_TEXT) : text;
}

/** Counted in code points, like JSON Schema; a text of more than twice the limit in UTF-16 units need not be counted. */
const isLonger = (text: string, max: number): boolean => text.length > 2 * max || (text.length > max && Array.from(text).length > max);

function admitList(walk: Walk, schema: Shape, list: readonly unknown[]): unknown {
  const max = schema.maxItems;
  if (max !== undefined && list.length > max) return report(walk, 'TOO_MANY', `must NOT have more than ${max} items`);
  let admitted: unknown[] | undefined;
  for (let i = 0; i < list.length && !isFull(walk); i++) {
    const item = below(walk, i, schema.items ?? {}, list[i]);
    if (item !== list[i]) (admitted ??= [...list])[i] = item;
  }
  return admitted ?? list;
}

function admitObject(walk: Walk, schema: Shape, sent: object): unknown {
  const fields = sent as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  const max = schema.maxProperties;
  if (max !== undefined && keys.length > max) return report(walk, 'TOO_MANY', `must NOT have more than ${max} fields`);
  const isClosed = schema.additionalProperties === false;
  const admitted: [string, unknown][] = [];
  let isWhole = true;
  for (const key of keys) {
    if (isFull(walk)) return undefined;
    const known = fieldOf(schema, key);
    if (!known) reportUnknownField(walk, key, isClosed);
    const value = below(walk, key, known ?? {}, fields[key]);
    const isAdmitted = known !== null || !isClosed;
    if (isAdmitted) admitted.push([key, value]);
    isWhole &&= isAdmitted && value === fields[key];
  }
  return isWhole ? sent : Object.fromEntries(admitted);
}

function reportUnknownField(walk: Walk, key: string, isClosed: boolean): void {
  if (isBroken(key)) report(walk, 'CONTROL_CHARACTER', BROKEN_NAME);
  if (isClosed) report(walk, 'UNKNOWN_FIELD', 'must NOT have additional properties', key);
}

function below(walk: Walk, step: string | number, schema: Shape, value: unknown): unknown {
  walk.path.push(step);
  const admitted = admitValue(walk, schema, value);
  walk.path.pop();
  return admitted;
}

/** Whether further problems would not be reported any more. */
const isFull = ({ found }: Walk) => found.length >= MAX_FINDINGS;

function fieldOf({ properties = {}, patternProperties = {} }: Shape, key: string): Shape | null {
  if (Object.hasOwn(properties, key)) return properties[key]!;
  if (isBroken(key)) return null;
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
