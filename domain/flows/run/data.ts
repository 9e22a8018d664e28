/** Data blocks of flows: how much of them a flow keeps, and which numbers. */
import type { FieldError } from '../../kernel/errors.ts';
import { isPlain } from './external.ts';
import type { FlowState } from './state.ts';

/** All blocks of a flow together, as JSON text. */
export const MAX_DATA_BYTES = 128 * 1024;

/** With these blocks, which replace those of their names; null: together they are more than a flow keeps, and more than before. */
export function withData(state: FlowState, more: Readonly<Record<string, unknown>>): FlowState | null {
  const data = { ...state.data, ...more };
  const bytes = bytesOf(data);
  return bytes > MAX_DATA_BYTES && bytes > bytesOf(state.data ?? {}) ? null : { ...state, data };
}
const bytesOf = (data: object): number => new TextEncoder().encode(JSON.stringify(data)).length;

/** The numbers of a value that would be kept with hundreds of digits, each by its field. */
export function numberProblems(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number') return isPlain(value) ? [] : [{ field, ...TOO_MANY_DIGITS }];
  if (Array.isArray(value)) return value.flatMap((inner, i) => numberProblems(inner, `${field}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numberProblems(inner, `${field}.${key}`));
}
const TOO_MANY_DIGITS = { code: 'OUT_OF_RANGE', message: 'A number has at most 21 digits before or behind the point.' };
