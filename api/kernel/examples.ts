import { readFileSync } from 'node:fs';

export interface Example {
  readonly request?: unknown;
  readonly response: unknown;
}

/** One real call of each operation, recorded by test/system/contract/recordExamples.ts and tested there. */
export const examples = JSON.parse(readFileSync(new URL('../examples.json', import.meta.url), 'utf8')) as Readonly<Record<string, Example>>;
