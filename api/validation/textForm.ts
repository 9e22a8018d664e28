/**
 * Brings every text of a request into its one form before anything looks at it (D91): NFC, and names without white space around them.
 * Passwords, secrets and addresses of the web (`x-verbatim`) stay as they were sent. Linear in the size of the value.
 */
import { nameForm, nfc } from '../../domain/kernel/text.ts';
import { type Shape, shapeFor } from './sizes.ts';
import { VISIBLE_TEXT } from '../declare/schema.ts';

/** Below it nothing is accepted (sizes.ts). */
const DEEPEST = 20;

/** The value in its one form; the same object where nothing changes. A value of another type than its schema's is refused later. */
export function inOneForm(schema: Shape, value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return value;
  const shape = shapeFor(value, schema);
  if (typeof value === 'string') return textOf(shape, value);
  if (Array.isArray(value)) return mapped<unknown>(value, (item) => inOneForm(shape.items ?? {}, item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const formed = mapped(fields, (field): [string, unknown] => {
    const after = inOneForm(fieldOf(shape, field[0]), field[1], depth + 1);
    return after === field[1] ? field : [field[0], after];
  });
  return formed === fields ? value : Object.fromEntries(formed);
}

function textOf(shape: Shape, text: string): string {
  if (shape['x-verbatim'] === true || !text.isWellFormed()) return text;
  if (shape['x-trimmed'] === true) return nameForm(text);
  // White space alone stays, and is refused as that.
  return shape.pattern === VISIBLE_TEXT ? nameForm(text) || text : nfc(text);
}
/** The same list where nothing in it changes. */
function mapped<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  for (const [i, item] of list.entries()) {
    const after = change(item);
    if (after !== item) (changed ??= [...list])[i] = after;
  }
  return changed ?? list;
}
const fieldOf = ({ properties = {}, patternProperties = {} }: Shape, key: string): Shape =>
  Object.hasOwn(properties, key) ? properties[key]! : (Object.values(patternProperties)[0] ?? {});
