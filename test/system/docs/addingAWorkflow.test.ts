/** docs/adding-a-workflow.md, followed to the letter in a copy of the repository. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { Copy, stepsOf } from './walkthrough.ts';

const guide = readFileSync(join(root, 'docs/adding-a-workflow.md'), 'utf8');
const filesOf = (text: string) => [...new Set(stepsOf(text).map(({ file }) => file))];
let copy: Copy;
/** Of the tests that run linters, compilers and tests in the copy. */
const COPY_MS = 180_000;

beforeAll(() => {
  copy = Copy.make();
  for (const step of stepsOf(guide)) copy.apply(step);
}, COPY_MS);
afterAll(() => copy.remove());

test('the type itself touches seven files, its row five, its tests four, its drills five', () => {
  const parts = guide.split(/^## /m).slice(1);
  expect(parts.map((part) => [part.split('\n')[0], filesOf(part).length])).toEqual([
    ['The type', 7],
    ['Its row', 5],
    ['Its tests', 4],
    ['Its drills', 5],
  ]);
});

test(
  'what it writes is formatted, typed and without a warning',
  async () => {
    const code = filesOf(guide).filter((file) => file.endsWith('.ts'));
    await copy.run('oxfmt', ['--check', ...code]);
    await copy.run('oxlint', ['--deny-warnings', ...code]);
    await copy.run('tsc', ['--noEmit', '--singleThreaded']);
  },
  COPY_MS,
);

test(
  'its machine decides, and rings, workflow types and the bundle agree with the new type',
  async () => {
    const suites = ['notices/', 'architecture', 'runs/workflowTypes', 'docs/citations', 'docs/glossary'];
    await copy.run('node', ['bin/test.ts', ...suites.map((name) => `test/units/${name}`), '--selectProjects', 'units', '--runInBand']);
  },
  COPY_MS,
);

test(
  'on a system of the copy its run ends by itself, and its table is known',
  async () => {
    const suites = ['test/system/notices/notices.test.ts', 'test/system/db/entities.test.ts', 'test/system/db/personalData.test.ts'];
    await copy.run('node', ['bin/test.ts', '--selectProjects', 'system', '--runInBand', '--', ...suites], { UNDER_TEST: undefined });
  },
  COPY_MS,
);

test(
  'its run is terminated before and after each of its activities, and comes back',
  async () => {
    const suites = ['test/system/runs/termination.test.ts', '-t', 'a notice'];
    await copy.run('node', ['bin/test.ts', '--selectProjects', 'system', '--runInBand', ...suites], { UNDER_TEST: undefined });
  },
  COPY_MS,
);
