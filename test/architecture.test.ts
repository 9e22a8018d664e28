import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Who may import whom (design/architecture.md): the first pattern that fits a file names its ring. */
const rings: readonly (readonly [ring: string, files: RegExp])[] = [
  ['domain', /^domain\//],
  ['workflows/kernel', /^workflows\/kernel\//],
  ['contract', /^workflows\/[^/]+\/contract\.ts$/],
  ['workflows', /^workflows\//],
  ['db/kernel', /^db\/kernel\//],
  ['db', /^db\//],
  ['providers', /^activities\/providers\//],
  ['activities', /^activities\//],
  ['api', /^api\//],
  ['worker', /^worker\//],
  ['simulator', /^simulator\//],
  ['bin/kernel', /^bin\/kernel\//],
  ['bin/dev', /^bin\/dev\//],
  ['bin/ops', /^bin\/ops\//],
  ['bin', /^bin\//],
  ['bench', /^bench\//],
  ['test', /^test\//],
];
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  'workflows/kernel': ['workflows/kernel'],
  contract: ['workflows/kernel', 'contract', 'domain'],
  workflows: ['workflows/kernel', 'contract', 'workflows'],
  'db/kernel': ['domain', 'workflows/kernel', 'db/kernel'],
  db: ['domain', 'workflows/kernel', 'contract', 'db', 'db/kernel'],
  providers: ['domain', 'workflows/kernel', 'db/kernel', 'providers'],
  activities: ['domain', 'workflows/kernel', 'contract', 'db', 'db/kernel', 'providers', 'activities'],
  api: ['domain', 'workflows/kernel', 'contract', 'db', 'db/kernel', 'providers', 'api'],
  worker: ['domain', 'workflows/kernel', 'contract', 'db', 'db/kernel', 'providers', 'activities', 'worker'],
  simulator: ['simulator'],
  'bin/kernel': ['bin/kernel'],
  'bin/dev': ['domain', 'workflows/kernel', 'db', 'db/kernel', 'bin/kernel', 'bin/dev'],
  'bin/ops': ['domain', 'workflows/kernel', 'db', 'db/kernel', 'worker', 'bin/kernel', 'bin/dev', 'bin/ops'],
  bin: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'bin/kernel', 'bin/dev', 'bin/ops', 'bin'],
  bench: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'api', 'worker', 'bin/kernel', 'bin/dev', 'bin/ops', 'bench'],
};
const ringOf = (file: string) => rings.find(([, files]) => files.test(file))?.[0] ?? 'nowhere';
const imports = /^\s*(?:import|export)\s[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm;
const files = globSync('{domain,workflows,db,activities,api,worker,simulator,bin,bench}/**/*.ts');
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

test('domain/ imports nothing but itself and TypeBox: no Temporal, no Node', () => {
  const modules = /^\s*(?:import|export)\s[^'"]*?from\s+'([^.'][^']*)'/gm;
  const found = globSync('domain/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(modules)].map(([, name]) => ({ file, name })).filter(({ name }) => name !== 'typebox'),
  );
  expect(found).toEqual([]);
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
  const told = [...globSync('{domain,workflows}/**/*.ts'), ...globSync('db/**/*.ts'), ...globSync('activities/**/*.ts')];
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
  const long = [...files, ...globSync('test/**/*.ts')].filter((file) => {
    const lines = readFileSync(file, 'utf8').split('\n').length;
    return lines > (/^(test|bench)\//.test(file) ? 400 : 260);
  });
  expect(long).toEqual([]);
});

test('the simulator imports nothing of ours, and nothing imports it', () => {
  expect(edges.filter(({ file, to }) => ringOf(file) !== 'simulator' && ringOf(to) === 'simulator')).toEqual([]);
});
