/** docs/adding-an-operation.md, followed to the letter in a copy of the repository. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../../../bin/dev/client.ts';
import { announce } from '../../../bin/dev/developmentSystem.ts';
import { root } from '../../../bin/kernel/paths.ts';
import { ownApi } from '../../kernel/api.ts';
import type { Handed } from '../../kernel/system.ts';
import { underTest } from '../../kernel/world.ts';
import { Copy, stepsOf } from './walkthrough.ts';

const steps = stepsOf(readFileSync(join(root, 'docs/adding-an-operation.md'), 'utf8'));
const files = [...new Set(steps.map(({ file }) => file))];
const code = files.filter((file) => file.endsWith('.ts'));
let copy: Copy;
/** Of the tests that run linters, compilers and tests in the copy. */
const COPY_MS = 180_000;

beforeAll(() => {
  copy = Copy.make();
  for (const step of steps) copy.apply(step);
}, COPY_MS);
afterAll(() => copy.remove());

test('it touches at most four files', () => {
  expect(files).not.toContain('');
  expect(files.length).toBeLessThanOrEqual(4);
});

test(
  'what it writes is formatted, typed and without a warning',
  async () => {
    await copy.run('oxfmt', ['--check', ...code]);
    await copy.run('oxlint', ['--deny-warnings', ...code]);
    await copy.run('tsc', ['--noEmit', '--singleThreaded']);
  },
  COPY_MS,
);

test(
  'rings, contract, pages and examples agree with the new operation',
  async () => {
    const suites = ['architecture', 'contract/', 'docs/citations', 'docs/generated', 'docs/glossary', 'kernel/examples'];
    await copy.run('node', ['bin/test.ts', ...suites.map((name) => `test/units/${name}`), '--selectProjects', 'units', '--runInBand']);
  },
  COPY_MS,
);

test(
  'the operation is served and documented with an example, and its own test passes',
  async () => {
    const { api, stop } = await ownApi({}, copy.dir);
    try {
      const { paths } = (await call(api, 'GET', '/openapi/store.json')).body as unknown as {
        paths: Record<string, { get: { operationId: string; responses: Record<string, Content> } }>;
      };
      const { operationId, responses } = paths['/v1/categories/{categoryId}/path']!.get;
      expect(operationId).toBe('categories.getPath');
      expect(responses['200']!.content['application/json'].example).toMatchObject({
        data: { items: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]) },
      });
      const own = code.filter((file) => file.endsWith('.test.ts'));
      expect(own).toHaveLength(1);
      const { testServer, cli, collector, stores, migrated } = underTest;
      const handed: Handed = { dataDir: copy.dir, testServer, cli, collector, stores, migrated };
      announce({ ...underTest, api, dataDir: copy.dir }, {});
      await copy.run('node', ['bin/test.ts', ...own, '--selectProjects', 'system', '--runInBand'], { UNDER_TEST: JSON.stringify(handed) });
    } finally {
      stop();
    }
  },
  COPY_MS,
);
interface Content {
  readonly content: { readonly 'application/json': { readonly example?: unknown } };
}
