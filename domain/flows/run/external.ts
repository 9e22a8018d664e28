/** What an external node sends, and what of the answer a flow keeps. */
import type { ExternalNode } from '../graph/graph.ts';
import { renderValue, renderText, type TemplateValues } from '../graph/templates.ts';

/** The longest answer whose body becomes a data block. */
export const ANSWER_BYTES = 64 * 1024;
/** The longest request, in UTF-16 code units: its body, and its path with everything percent-encoded. */
const MAX_BODY_LENGTH = 256 * 1024;
const MAX_PATH_LENGTH = 4096;

export interface ExternalRequest {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly body: string;
  readonly timeoutSeconds: number;
}

/**
 * The request of a node to a connection's `url`. Values in its path are percent-encoded. Null, and not asked for: values that make a path
 * which leads elsewhere, by `.` or `..`, or a request that is too long.
 */
export function externalRequest(
  { method, path, body = {}, timeoutSeconds }: ExternalNode,
  url: string,
  values: TemplateValues,
): ExternalRequest | null {
  const encoded = renderText(path, values, { max: MAX_PATH_LENGTH + 1, write: (text) => encodeURIComponent(text.toWellFormed()) });
  if (encoded.length > MAX_PATH_LENGTH || DOTS.test(encoded)) return null;
  const fields: [key: string, value: unknown][] = [];
  let left = MAX_BODY_LENGTH;
  for (const [key, template] of Object.entries(body)) {
    const value = renderValue(template, values, { max: left + 1 });
    left -= key.length + JSON.stringify(value).length;
    if (left < 0) return null;
    fields.push([key, value]);
  }
  return { method, url: url.replace(/\/$/, '') + encoded, body: JSON.stringify(Object.fromEntries(fields)), timeoutSeconds };
}
/** As URLs are read: a backslash is a slash. */
const DOTS = /[/\\](?:\.|%2e){1,2}(?=[/\\?#]|$)/i;

/** Deeper objects are no data block. */
const DEEPEST = 32;
type Json = Readonly<Record<string, unknown>>;

/** The data block that the body of an answer is; null: it is no JSON object, or one that cannot be kept. */
export function answerData(body: string): Json | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && isStorable(value, DEEPEST) ? (clean(value) as Json) : null;
}

/** Numbers far from 1 are written out with hundreds of digits where Postgres tells them. */
export const isPlain = (number: number): boolean => number === 0 || (Math.abs(number) < 1e21 && Math.abs(number) > 1e-21);
function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return isPlain(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isStorable(inner, levels - 1));
}

/** Without what Postgres cannot keep: NUL is left out, and lone surrogates become U+FFFD. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\u0000', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clean);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), clean(inner)]));
}
