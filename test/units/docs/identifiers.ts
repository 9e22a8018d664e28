/** Reads TypeScript as far as its names: what stands in comments, texts and regular expressions is none. */

interface Found {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}
const SKIPPED = [/\s+/y, /\/\/.*/y, /\/\*[^]*?\*\//y, /'(?:\\[^]|[^'\\\n])*'/y, /"(?:\\[^]|[^"\\\n])*"/y, /\d[\w.]*/y] as const;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
const NAME = /[A-Za-z_$][\w$]*/y;
/** The text of a template up to its end or its next `${`. */
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
/** A slash after one of these begins a regular expression; after anything else it divides. */
const BEFORE_REGEXP = /(?:^|[=(,:[!&|?{};>+]|return)$/;

export function identifiersOf(text: string): Found[] {
  const found: Found[] = [];
  /** Of each open brace, whether a template goes on behind it. */
  const braces: boolean[] = [];
  let at = 0;
  let last = '';
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0];
    at += part?.length ?? 0;
    return part;
  };
  const template = (): void => {
    if (match(TEMPLATE)?.endsWith('{')) braces.push(true);
  };
  while (at < text.length) {
    if (SKIPPED.some((pattern) => match(pattern) !== undefined)) continue;
    const start = at;
    const name = match(NAME);
    if (name !== undefined) {
      found.push({ name, line: text.slice(0, start).split('\n').length });
      last = name;
    } else if (text[at] !== '/' || !BEFORE_REGEXP.test(last) || match(REGEXP) === undefined) {
      last = text[at++]!;
      if (last === '{') braces.push(false);
      if (last === '`' || (last === '}' && braces.pop())) template();
    }
  }
  return found;
}

/** `keepAliveMs`, `KEEP_ALIVE_MS` → keep, alive, ms. */
export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2_')
    .toLowerCase()
    .split(/[_$]+/)
    .filter(Boolean);
