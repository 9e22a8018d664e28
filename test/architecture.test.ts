import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Who may import whom (design/architecture.md): the first pattern that fits a file names its ring. */
const rings: readonly (readonly [ring: string, files: RegExp])[] = [
  ['workflows/kernel', /^workflows\/kernel\//],
  ['workflow', /^workflows\/(index|[^/]+\/workflow)\.ts$/],
  ['contract', /^workflows\/[^/]+\/contract\.ts$/],
  ['rules', /^workflows\//],
  ['db/kernel', /^db\/kernel\//],
  ['db', /^db\//],
  ['providers', /^activities\/providers\//],
  ['activities', /^activities\//],
  ['api', /^api\//],
  ['worker', /^worker\//],
  ['simulator', /^simulator\//],
  ['bin', /^bin\//],
  ['test', /^(test|bench)\//],
];
const allowed: Readonly<Record<string, readonly string[]>> = {
  'workflows/kernel': ['workflows/kernel'],
  rules: ['workflows/kernel', 'rules'],
  contract: ['workflows/kernel', 'contract', 'rules'],
  workflow: ['workflows/kernel', 'contract', 'workflow'],
  'db/kernel': ['workflows/kernel', 'db/kernel'],
  db: ['workflows/kernel', 'rules', 'contract', 'db', 'db/kernel'],
  providers: ['workflows/kernel', 'rules', 'db/kernel', 'providers'],
  activities: ['workflows/kernel', 'rules', 'contract', 'db', 'db/kernel', 'providers', 'activities'],
  api: ['workflows/kernel', 'rules', 'contract', 'db', 'db/kernel', 'providers', 'api'],
  worker: ['workflows/kernel', 'rules', 'contract', 'db', 'db/kernel', 'providers', 'activities', 'worker'],
  simulator: ['simulator'],
};
const ringOf = (file: string) => rings.find(([, files]) => files.test(file))?.[0] ?? 'nowhere';
const imports = /^\s*(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm;
const files = globSync('{workflows,db,activities,api,worker,simulator}/**/*.ts');
const edges = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(imports)].map(([, from, dynamic]) => ({
    file,
    to: relative('.', join(dirname(file), (from ?? dynamic)!)),
  })),
);

test('every ring imports only what it may', () => {
  const strays = edges.filter(({ file, to }) => !allowed[ringOf(file)]?.includes(ringOf(to)));
  expect(strays.map(({ file, to }) => `${file} → ${to}`)).toEqual([]);
});

test('inside api/, a feature reaches another only through the schemas that it shares', () => {
  const feature = (path: string) => path.split('/')[1]!;
  const strays = edges.filter(
    ({ file, to }) =>
      /^api\/[^/]+\//.test(file) &&
      to.startsWith('api/') &&
      !/^api\/(kernel)\//.test(to) &&
      feature(file) !== feature(to) &&
      !to.endsWith('/schemas.ts'),
  );
  expect(strays.map(({ file, to }) => `${file} → ${to}`)).toEqual([]);
});

test('no business time comes from the wall clock in workflows, transitions and SQL', () => {
  const told = [...globSync('workflows/**/*.ts'), ...globSync('db/**/*.ts'), ...globSync('activities/**/*.ts')];
  // Times of spans are no business times.
  const allowedFiles = new Set(['db/kernel/clock.ts', 'workflows/kernel/run.ts', 'workflows/kernel/tracing.ts']);
  const found = told.filter(
    (file) =>
      !allowedFiles.has(file) &&
      /Date\.now\(\)|new Date\(\)|\bnow\(\)(?!:)|CURRENT_TIMESTAMP/.test(
        readFileSync(file, 'utf8').replaceAll(/(clock|performance)\.now\(\)/g, ''),
      ),
  );
  expect(found).toEqual([]);
});

test('no file is over 250 lines, no test over 400', () => {
  const long = [...files, ...globSync('{bin,test,bench}/**/*.ts')].filter((file) => {
    const lines = readFileSync(file, 'utf8').split('\n').length;
    return lines > (/^(test|bench)\//.test(file) ? 400 : 260);
  });
  expect(long).toEqual([]);
});

test('the simulator imports nothing of ours, and nothing imports it', () => {
  expect(edges.filter(({ file, to }) => ringOf(file) !== 'simulator' && ringOf(to) === 'simulator')).toEqual([]);
});
