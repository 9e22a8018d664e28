/** HTML by tagged template: every value is escaped unless it is itself a piece of HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
type Value = Html | string | number | null | undefined | readonly Value[];

function escape(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object' && value !== null) return value.map(escape).join('');
  return `${value ?? ''}`.replaceAll(/[&<>"']/g, (c) => ENTITIES[c]!);
}

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.reduce((text, part, i) => text + part + (i < values.length ? escape(values[i]) : ''), ''));
