/** Texts with `{{path}}` placeholders: messages for buyers, bodies for external services. Text, never markup or logic. */

/** What placeholders may name: `inputs.*`, `data.*`, `item.*`, `fulfillment.*`. */
export type TemplateValues = Readonly<Record<'inputs' | 'data' | 'item' | 'fulfillment', Readonly<Record<string, unknown>>>>;

const PLACEHOLDER = /\{\{\s*([A-Za-z][\w.-]{0,199})\s*\}\}/g;
const ALONE = /^\{\{\s*([A-Za-z][\w.-]{0,199})\s*\}\}$/;

function valueAt(values: TemplateValues, path: string): unknown {
  let value: unknown = values;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

interface Rendering {
  /** The longest text, in UTF-16 code units: it is cut there. A short template may name long values many times. */
  readonly max: number;
  /** How a value is written. */
  readonly write?: (text: string) => string;
}

/** A missing value is empty. Stops where the text is as long as it may be. */
export function renderText(template: string, values: TemplateValues, { max, write = (text) => text }: Rendering): string {
  let rendered = '';
  let end = 0;
  for (const found of template.matchAll(PLACEHOLDER)) {
    rendered += template.slice(end, found.index) + write(textOf(valueAt(values, found[1]!)).slice(0, max));
    end = found.index + found[0].length;
    if (rendered.length >= max) break;
  }
  return (rendered.length < max ? rendered + template.slice(end) : rendered).slice(0, max).toWellFormed();
}

/** A template that is one placeholder gives the value itself, `"{{item.activeQuantity}}"` → `1`, an unknown one ''; else text. */
export function renderValue(template: string, values: TemplateValues, rendering: Rendering): unknown {
  const path = ALONE.exec(template)?.[1];
  return path === undefined ? renderText(template, values, rendering) : (valueAt(values, path) ?? '');
}
