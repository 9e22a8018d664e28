/** Input of actions against the fields of their forms. */
import { isVisible } from '../../kernel/text.ts';
import { MOMENT } from '../../kernel/time.ts';
import type { FieldType } from '../expressions/types.ts';
import type { FormField } from '../graph/forms.ts';
import type { Action, InputField } from '../graph/graph.ts';
import { bytesOf, entryBytes } from './room.ts';
import type { InputIssue } from './state.ts';

/** Lengths where a field names none, in code points; and files. */
const MAX_LENGTH: Readonly<Partial<Record<FieldType, number>>> = { text: 200, textarea: 2000 };
export const MAX_FILES = 5;
const MAX_ISSUES = 100;
const MAX_NAME = 200;

export type Input = Readonly<Record<string, unknown>>;
/** Own uploads of the store may stand where an https address must. */
export type IsUpload = (address: string) => boolean;

const lengthOf = (text: string): number => Array.from(text).length;
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && !isVisible(value)) || (Array.isArray(value) && value.length === 0);
/** The values of the options of a choice. */
export const optionsOf = ({ options = [] }: InputField): readonly string[] =>
  options.map((option) => (typeof option === 'string' ? option : option.value));

const DAY_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT_TEXT = new RegExp(MOMENT, 'u');
const isMoment = (value: unknown): boolean => typeof value === 'string' && MOMENT_TEXT.test(value);
const isDay = (value: unknown): boolean => typeof value === 'string' && DAY_ONLY.test(value) && isMoment(`${value}T00:00:00Z`);
const isWithin = (value: unknown, { min, max }: InputField): boolean =>
  Number.isSafeInteger(value) && (value as number) >= (min ?? -Infinity) && (value as number) <= (max ?? Infinity);

type Reason = InputIssue['reason'];
type Check = (value: unknown, field: InputField, isUpload: IsUpload) => Reason | null;
const text: Check = (value, { type, pattern, maxLength = MAX_LENGTH[type]! }) => {
  if (typeof value !== 'string') return 'INVALID';
  if (lengthOf(value) > maxLength) return 'TOO_LONG';
  return pattern !== undefined && !new RegExp(pattern, 'u').test(value) ? 'INVALID' : null;
};
const oneOf: Check = (value, field) => (typeof value === 'string' && optionsOf(field).includes(value) ? null : 'INVALID');
/** What each type takes; no value is converted. */
const CHECKS: Readonly<Record<FieldType, Check>> = {
  text,
  textarea: text,
  number: (value, field) => (isWithin(value, field) ? null : 'INVALID'),
  select: oneOf,
  radio: oneOf,
  checkbox: (value, field) => {
    if (!Array.isArray(value) || new Set(value).size !== value.length) return 'INVALID';
    const options = new Set<unknown>(optionsOf(field));
    return value.every((one) => options.has(one)) ? null : 'INVALID';
  },
  boolean: (value, { required }) => {
    if (typeof value !== 'boolean') return 'INVALID';
    return required && !value ? 'REQUIRED' : null;
  },
  date: (value) => (isDay(value) ? null : 'INVALID'),
  datetime: (value) => (isMoment(value) ? null : 'INVALID'),
  image: (value, { maxFiles = MAX_FILES }, isUpload) => {
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && (isUpload(one) || isHttps(one)))) return 'INVALID';
    return value.length > maxFiles ? 'TOO_LONG' : null;
  },
};
const isHttps = (address: string): boolean => address.length <= 2000 && address.startsWith('https://') && URL.canParse(address);

/** What of an input the flow keeps, and how many bytes it may have with the attachments that come along. */
export interface Room {
  readonly stored: ReadonlySet<string>;
  readonly bytes: number;
  readonly attachments: readonly string[];
}
/** The field under which attachments are told that pass the bound. */
const ATTACHMENTS = 'attachments';

/** Every problem, in the order of the form; attachments and unknown keys last, each under its own name. At most 100. */
export function inputIssues(fields: readonly FormField[], input: Input, isUpload: IsUpload, room?: Room): readonly InputIssue[] {
  const known = new Set(fields.map(({ key }) => key));
  let left = room?.bytes ?? Infinity;
  /** The first field with which it is too much; what is refused for itself is not counted. */
  const passes = (bytes: number): boolean => {
    const had = left;
    left -= bytes;
    return had >= 0 && left < 0;
  };
  const issues = fields.flatMap((field) => {
    const own = issueOf(field, input, isUpload);
    const value = valueOf(input, field.key);
    if (own.length > 0 || !room?.stored.has(field.key) || isBlank(value) || !passes(entryBytes(field.key, value))) return own;
    return [{ key: cut(field.key), name: cut(field.label), reason: 'TOO_LONG' } as const];
  });
  if (room?.attachments.some((one) => passes(bytesOf(one)))) issues.push({ key: ATTACHMENTS, name: ATTACHMENTS, reason: 'TOO_LONG' });
  const unknown = Object.keys(input)
    .filter((key) => !known.has(key))
    .map((key): InputIssue => ({ key: cut(key), name: cut(key), reason: 'INVALID' }));
  return [...issues, ...unknown].slice(0, MAX_ISSUES);
}

function issueOf(field: FormField, input: Input, isUpload: IsUpload): InputIssue[] {
  const { key, label, endpointField } = field;
  const reason = problemOf(field, input, isUpload) ?? (endpointField ? handoverProblem(endpointField, input, isUpload) : null);
  return reason ? [{ key: cut(key), name: cut(label), reason }] : [];
}
function problemOf(field: InputField, input: Input, isUpload: IsUpload): Reason | null {
  const value = valueOf(input, field.key);
  if (isBlank(value)) return field.required && applies(field, input) ? 'REQUIRED' : null;
  return applies(field, input) ? CHECKS[field.type](value, field, isUpload) : 'INVALID';
}
/** Only text is handed over. What the endpoint always asks for, the graph may leave open; what follows from a choice it may not. */
function handoverProblem(field: InputField, input: Input, isUpload: IsUpload): Reason | null {
  const value = valueOf(input, field.key);
  if (typeof value === 'string' && !isBlank(value)) return CHECKS[field.type](value, field, isUpload);
  return field.required && field.when !== undefined && applies(field, input) ? 'REQUIRED' : null;
}
const valueOf = (input: Input, key: string): unknown => (Object.hasOwn(input, key) ? input[key] : undefined);
const applies = ({ when }: InputField, input: Input): boolean =>
  when === undefined || (when.in as readonly unknown[]).includes(valueOf(input, when.key));
const cut = (name: string): string => Array.from(name).slice(0, MAX_NAME).join('');

/** The values that count as sent, by key. */
export function sentValues({ input: fields = [] }: Pick<Action, 'input'>, input: Input): Input {
  const sent = fields.flatMap(({ key }) => (Object.hasOwn(input, key) && !isBlank(input[key]) ? [[key, input[key]] as const] : []));
  return Object.fromEntries(sent);
}
