/** Validation of a value by its schema: sizes first, then AJV on the rest; all problems at once, up to a hundred. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { TSchema } from '../declare/schema.ts';
import { admit, type Finding, MAX_FINDINGS } from './sizes.ts';

const strict = {
  strict: true,
  strictTypes: false,
  allErrors: true,
  discriminator: true,
  keywords: ['x-document', 'x-verbatim', 'x-trimmed', 'x-reading'],
};
/** JSON without coercion or defaults; queries with defaults. */
const ajvs = { json: new Ajv2020(strict), text: new Ajv2020({ ...strict, useDefaults: true }) };
for (const one of Object.values(ajvs)) addFormats.default(one, ['date-time', 'date', 'email', 'uri']);

export interface Validated {
  /** The value as it was sent; in queries, integers are parsed. */
  readonly value: unknown;
  readonly fieldErrors: readonly FieldError[];
  /** The valid part, for an operation's `check`; undefined when there is none. */
  readonly fitting: unknown;
}
type Validator = (value: unknown) => Validated;

/** A validator that compiles its schema on first use. */
export function createValidator(schema: TSchema, from: 'json' | 'text'): Validator {
  let validate: ValidateFunction | undefined;
  return (sent) => {
    validate ??= ajvs[from].compile(schema);
    const read = from === 'text' ? readQuery(schema, sent as Query) : sent;
    const { value, found } = admit(schema, read);
    if (found.length >= MAX_FINDINGS) return { value, fieldErrors: found.map(fieldError), fitting: undefined };
    const more = validate(value) ? [] : findings(validate.errors ?? [], found);
    return {
      value,
      fieldErrors: fieldErrorsOf(read, found, more),
      fitting: more.length >= MAX_FINDINGS ? undefined : without(value, more),
    };
  };
}

/** Every problem of a value. */
export function checker(schema: TSchema, from: 'json' | 'text'): (value: unknown) => readonly FieldError[] {
  const validateValue = createValidator(schema, from);
  return (value) => validateValue(value).fieldErrors;
}

type Query = Readonly<Record<string, string | string[] | undefined>>;
interface Text {
  readonly type?: string;
}
/** The known parameters (D8), with integers parsed: decimal only, so that `1e2`, `0x10`, ` 5` and `1.0` stay texts (X22). */
function readQuery(schema: TSchema, query: Query): object {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Text>> };
  const known = Object.entries(properties).filter(([name]) => Object.hasOwn(query, name));
  return Object.fromEntries(known.map(([name, { type }]) => [name, type === 'integer' ? whole(query[name]) : query[name]]));
}
const whole = (text: unknown): unknown => (typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text);

const CODES: Readonly<Record<string, string>> = {
  required: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  type: 'INVALID_TYPE',
  enum: 'INVALID_VALUE',
  minimum: 'OUT_OF_RANGE',
  maximum: 'OUT_OF_RANGE',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  minItems: 'TOO_FEW',
  maxItems: 'TOO_MANY',
};
/** The errors of a union for the whole, beside those of its branches. */
const OF_UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'discriminator']);
const BRANCH = /^(.*\/anyOf\/\d+)\/type$/;

/** The errors that tell something: none for a whole union, none of branches for values of another type, if there are others. */
function meaningful(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const foreign = new Set(
    errors.flatMap(({ keyword, schemaPath, instancePath }) =>
      keyword === 'type' ? keyOf(BRANCH.exec(schemaPath)?.[1], instancePath) : [],
    ),
  );
  const rest = errors.filter(({ keyword, schemaPath, instancePath }) => {
    const branch = schemaPath.slice(0, schemaPath.lastIndexOf('/'));
    return !OF_UNIONS.has(keyword) && !foreign.has(`${branch} ${instancePath}`);
  });
  return rest.length > 0 ? rest : errors;
}
const keyOf = (branch: string | undefined, instancePath: string): string[] => (branch === undefined ? [] : [`${branch} ${instancePath}`]);

/** The first hundred problems of AJV, without those that the sizes reported, and each code once per field. */
function findings(errors: readonly ErrorObject[], sizes: readonly Finding[]): Finding[] {
  const refused = new Set(sizes.map(({ path }) => JSON.stringify(path.map(String))));
  // What is wrong with the characters of a text that is too short, which most often has none, is no second problem.
  const short = new Set(errors.filter(({ keyword }) => keyword === 'minLength').map(({ instancePath }) => instancePath));
  const known = new Set<string>();
  const found: Finding[] = [];
  for (const error of meaningful(errors)) {
    if (found.length >= MAX_FINDINGS) break;
    if (error.keyword === 'pattern' && short.has(error.instancePath)) continue;
    const finding = findingOf(error);
    const at = JSON.stringify(finding.path);
    if (refused.has(at) || known.has(at + finding.code)) continue;
    known.add(at + finding.code);
    found.push(finding);
  }
  return found;
}

function findingOf(e: ErrorObject): Finding {
  const { missingProperty, additionalProperty } = e.params as { missingProperty?: string; additionalProperty?: string };
  const extra = missingProperty ?? additionalProperty;
  const path = e.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: extra === undefined ? path : [...path, extra], code: CODES[e.keyword] ?? 'INVALID', message: messageOf(e) };
}

/** Groups findings by their path segment at this depth; null for findings that end here. */
const byStep = (found: readonly Finding[], depth: number) =>
  Map.groupBy(found, ({ path }) => (path.length > depth ? String(path[depth]) : null));

/** Field errors in the order of the value, missing fields before present ones. `sizes` are in this order already. */
const fieldErrorsOf = (value: unknown, sizes: readonly Finding[], more: readonly Finding[]): FieldError[] =>
  inOrder(value, [...sizes, ...more], new Set(more))
    .slice(0, MAX_FINDINGS)
    .map(fieldError);
/** A pattern says nothing to a person. */
const messageOf = ({ keyword, message = 'is not valid' }: ErrorObject): string =>
  keyword === 'pattern' ? 'is not as the documents describe it' : message;
const fieldError = ({ path, code, message }: Finding): FieldError => ({ field: pathText(path), code, message });
/** `items[2].quantity` */
export const pathText = (path: Finding['path']): string => path.map(String).reduce(join, '');

function inOrder(value: unknown, found: readonly Finding[], more: ReadonlySet<Finding>, depth = 0): readonly Finding[] {
  if (found.length < 2 || !found.some((one) => more.has(one))) return found;
  const groups = byStep(found, depth);
  const steps = typeof value === 'object' && value !== null ? Object.keys(value).filter((step) => groups.has(step)) : [];
  const there = new Set<string | null>(steps);
  const missing = [...groups].flatMap(([step, group]) => (there.has(step) ? [] : group));
  const fields = value as Readonly<Record<string, unknown>>;
  return [...missing, ...steps.flatMap((step) => inOrder(fields[step], groups.get(step)!, more, depth + 1))];
}

/** A copy in which what has a finding is undefined. */
function without(value: unknown, found: readonly Finding[], depth = 0): unknown {
  if (found.length === 0) return value;
  const groups = byStep(found, depth);
  if (groups.has(null) || typeof value !== 'object' || value === null) return undefined;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  for (const [step, group] of groups) if (step !== null && Object.hasOwn(copy, step)) copy[step] = without(copy[step], group, depth + 1);
  return copy;
}

/** `items` and `2` → `items[2]`; `a` and `b` → `a.b`. */
function join(path: string, part: string): string {
  if (/^\d+$/.test(part)) return `${path}[${part}]`;
  return path === '' ? part : `${path}.${part}`;
}

/** Problems of one text that came from a path or header. */
export const textErrors = (value: string, field: string): readonly FieldError[] =>
  admit({}, value).found.map(({ code, message }) => ({ field, code, message }));
