/**
 * Schemas in the OpenAPI documents, with all constraints on the shape of a request, also those that are not checked by the schema but in
 * code (control characters, range of years, formats), so that clients can rely on the document.
 */
import { VISIBLE_PLAIN } from '../../domain/kernel/text.ts';

export type Json = Record<string, unknown>;

/** No control characters but tab and line breaks. */
const ALLOWED = String.raw`[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]`;
export const TEXT = `^${ALLOWED}*$`;
/** The same, with at least one visible character. */
export const NAME = `^${ALLOWED}*${VISIBLE_PLAIN}${ALLOWED}*$`;
/** The same, with at least so many characters from the first visible one to the last. */
export const visibleText = (minLength: number): string =>
  `^${ALLOWED}*${VISIBLE_PLAIN}${ALLOWED}{${minLength - 2},}${VISIBLE_PLAIN}${ALLOWED}*$`;
export const isObject = (node: unknown): node is Json => typeof node === 'object' && node !== null && !Array.isArray(node);
const mapped = (node: Json, change: (inner: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, change(inner)]));

/** Writes a map (`patternProperties`) as `propertyNames` and `additionalProperties`, which more tools support. */
function named({ patternProperties, ...rest }: Json): Json {
  const [[pattern, value] = [], ...others] = Object.entries((patternProperties ?? {}) as Json);
  if (pattern === undefined || others.length > 0) return patternProperties ? { patternProperties, ...rest } : rest;
  return { ...rest, propertyNames: { pattern }, additionalProperties: value };
}

/** A response schema. */
export function responseSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(responseSchema);
  if (!isObject(node)) return node;
  const { 'x-document': _, 'x-verbatim': __, 'x-trimmed': ___, 'x-reading': ____, ...rest } = node;
  return named(mapped(rest, responseSchema));
}

/** A request schema. `x-document` holds constraints that only the document shows, because code checks them. */
export function requestSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(requestSchema);
  if (!isObject(node)) return node;
  const { 'x-document': more = {}, 'x-verbatim': _, 'x-trimmed': __, 'x-reading': ___, ...rest } = node;
  const whole: Json = { ...rest, ...(more as Json) };
  if (whole['type'] === 'string' && !('enum' in whole) && !('const' in whole)) return text(whole);
  return named(mapped(whole, requestSchema));
}

const text = (schema: Json): Json => ('pattern' in schema || 'format' in schema ? schema : { ...schema, pattern: TEXT });
