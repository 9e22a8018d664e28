import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { statesPage } from '../../../bin/diagrams.ts';

test('docs/states.md is what npm run diagrams draws', () => {
  expect(readFileSync('docs/states.md', 'utf8')).toBe(statesPage());
});
