/** Every step of a guide fits the files that there are. `npm run guides` follows it: compiles, lints and runs what it makes. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { stepsOf, textAfter } from '../../system/docs/walkthrough.ts';

test.each(['docs/adding-an-operation.md', 'docs/adding-a-workflow.md'])('%s: every step fits', (guide) => {
  const steps = stepsOf(readFileSync(guide, 'utf8'));
  expect(steps.length).toBeGreaterThan(3);
  const texts = new Map<string, string>();
  for (const step of steps) {
    const before = texts.get(step.file) ?? (existsSync(step.file) ? readFileSync(step.file, 'utf8') : null);
    texts.set(step.file, textAfter(before, step));
  }
});
