/** HTML by tagged template: every value is escaped unless it is itself a piece of HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (value: unknown): string =>
  value instanceof Html ? value.text : Array.isArray(value) ? value.map(escape).join('') : String(value ?? '').replaceAll(/[&<>"']/g, (c) => ENTITIES[c]!);

export const html = (parts: TemplateStringsArray, ...values: readonly unknown[]): Html =>
  new Html(parts.reduce((text, part, i) => text + part + (i < values.length ? escape(values[i]) : ''), ''));
