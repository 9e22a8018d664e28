/**
 * A scan of a JSON body before it is parsed (X6): an object with tens of thousands of fields, or thousands of nested brackets, is more
 * expensive to parse than to refuse. All other limits are checked in the parsed value, together with other problems (sizes.ts).
 */
import { pathText } from './validate.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';

/** Far above what any schema allows: a body below is parsed and validated as a whole. */
export const MAX_FIELDS = 1000;
export const MAX_LEVELS = 1000;
/** `"":0,` */
const SHORTEST_FIELD = 5;

const code = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [code('"'), code('\\'), code(','), code(':')];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [code('{'), code('}'), code('['), code(']')];

/** The state of the scan: for each open level its kind, the separators seen, and the offset of its current field's name. */
interface Levels {
  readonly kind: Uint8Array;
  readonly passed: Int32Array;
  readonly name: Int32Array;
}

/** The first object with too many fields, or the first value that is too deep; null when there is none. */
export function outgrown(bytes: Uint8Array): FieldError | null {
  if (bytes.length < MAX_FIELDS * SHORTEST_FIELD) return null;
  const levels: Levels = {
    kind: new Uint8Array(MAX_LEVELS + 1),
    passed: new Int32Array(MAX_LEVELS + 1),
    name: new Int32Array(MAX_LEVELS + 1),
  };
  let level = 0;
  let text = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      text = i;
      i = endOfText(bytes, i);
    } else if (byte === COLON) levels.name[level] = text;
    else if (byte === COMMA) {
      if (++levels.passed[level]! >= MAX_FIELDS && levels.kind[level] === OBJECT)
        return { field: pathOf(bytes, levels, level), code: 'TOO_MANY', message: `must NOT have more than ${MAX_FIELDS} fields` };
    } else if (byte === OBJECT || byte === LIST) {
      if (level === MAX_LEVELS)
        return { field: pathOf(bytes, levels, level), code: 'TOO_DEEP', message: `is nested deeper than ${MAX_LEVELS} levels` };
      level++;
      levels.kind[level] = byte;
      levels.passed[level] = 0;
    } else if ((byte === OBJECT_END || byte === LIST_END) && level > 0) level--;
  }
  return null;
}

/** The offset of the closing quote of the string that begins at `from`, or the length of the body. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}

/** The path of `level` in the form of field errors. */
function pathOf(bytes: Uint8Array, { kind, passed, name }: Levels, level: number): string {
  const steps = Array.from({ length: level - 1 }, (_, i) => {
    if (kind[i + 1] === LIST) return passed[i + 1]!;
    const from = name[i + 1]!;
    return new TextDecoder().decode(bytes.subarray(from + 1, endOfText(bytes, from)));
  });
  return pathText(steps);
}
