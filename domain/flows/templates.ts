/** Texts with `{{path}}` placeholders: messages for buyers, bodies for external services (F17, F28). Text, never markup or logic. */

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

/** A missing value is empty; `write` is how a value is written. */
export const renderText = (template: string, values: TemplateValues, write = (text: string): string => text): string =>
  template.replaceAll(PLACEHOLDER, (_, path: string) => write(textOf(valueAt(values, path))));

/** A template that is one placeholder gives the value itself, `"{{item.activeQuantity}}"` → `1`, an unknown one ''; else text. */
export function renderValue(template: string, values: TemplateValues): unknown {
  const path = ALONE.exec(template)?.[1];
  return path === undefined ? renderText(template, values) : (valueAt(values, path) ?? '');
}
