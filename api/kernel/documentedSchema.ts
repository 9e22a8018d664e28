/**
 * Schemas as the OpenAPI documents show them: with everything that a request is refused for by its shape alone, also where a check
 * of ours refuses it (control characters, years beyond the calendar, codes of their own), so that a client may rely on the document.
 */

export type Json = Record<string, unknown>;

/** No control characters but tab and line breaks. */
export const TEXT = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$`;
/** The same with something to read in it. */
export const NAME = String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*[^\s\ufeff\u0000-\u001f\u007f][^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$`;
export const isObject = (node: unknown): node is Json => typeof node === 'object' && node !== null && !Array.isArray(node);
const mapped = (node: Json, change: (inner: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, change(inner)]));

/** A map from names to values, said in the words that every reader knows. */
function named({ patternProperties, ...rest }: Json): Json {
  const [[pattern, value] = [], ...others] = Object.entries((patternProperties ?? {}) as Json);
  if (pattern === undefined || others.length > 0) return patternProperties ? { patternProperties, ...rest } : rest;
  return { ...rest, propertyNames: { pattern }, additionalProperties: value };
}

/** What is answered. */
export function answered(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(answered);
  if (!isObject(node)) return node;
  const { 'x-document': _, ...rest } = node;
  return named(mapped(rest, answered));
}

/** What may be sent. `x-document` in a schema of ours is what only the document says: a check of ours refuses it. */
export function asked(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asked);
  if (!isObject(node)) return node;
  const { 'x-document': more = {}, ...rest } = node;
  const whole: Json = { ...rest, ...(more as Json) };
  if (whole['type'] === 'string' && !('enum' in whole) && !('const' in whole)) return text(whole);
  return named(mapped(whole, asked));
}

const text = (schema: Json): Json => ('pattern' in schema || 'format' in schema ? schema : { ...schema, pattern: TEXT });
