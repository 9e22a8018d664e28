import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Who may import whom (docs/architecture.md#rings): the first pattern that fits a file names its ring. */
const rings: readonly (readonly [ring: string, files: RegExp])[] = [
  ['domain', /^domain\//],
  ['workflows/kernel', /^workflows\/kernel\//],
  ['workflows', /^workflows\//],
  ['db/kernel', /^db\/kernel\//],
  ['db', /^db\//],
  ['providers', /^activities\/providers\//],
  ['activities', /^activities\//],
  ['api', /^api\//],
  ['composition root', /^worker\/main\.ts$/],
  ['worker', /^worker\//],
  ['simulator', /^simulator\//],
  ['bin/kernel', /^bin\/kernel\//],
  ['bin/dev', /^bin\/dev\//],
  ['bin/ops', /^bin\/ops\//],
  ['bin/docs', /^bin\/docs\//],
  ['bin', /^bin\//],
  ['bench', /^bench\//],
  ['test', /^test\//],
];
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  // Types only, see below.
  'workflows/kernel': ['workflows/kernel', 'domain'],
  workflows: ['workflows/kernel', 'workflows'],
  'db/kernel': ['domain', 'workflows/kernel', 'db/kernel'],
  db: ['domain', 'workflows/kernel', 'db', 'db/kernel'],
  providers: ['domain', 'workflows/kernel', 'db/kernel', 'providers'],
  activities: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'providers', 'activities'],
  api: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'providers', 'api'],
  worker: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'providers', 'activities', 'worker'],
  // Approved requests are carried out as the API carries out requests: activities know a port (`Executor`), which is wired here.
  'composition root': ['domain', 'workflows/kernel', 'db', 'db/kernel', 'providers', 'activities', 'worker', 'api'],
  simulator: ['simulator'],
  'bin/kernel': ['bin/kernel'],
  'bin/dev': ['domain', 'workflows/kernel', 'db', 'db/kernel', 'bin/kernel', 'bin/dev'],
  'bin/ops': ['domain', 'workflows/kernel', 'db', 'db/kernel', 'worker', 'bin/kernel', 'bin/dev', 'bin/ops'],
  'bin/docs': ['domain', 'api', 'bin/kernel', 'bin/docs'],
  bin: ['domain', 'workflows/kernel', 'db', 'db/kernel', 'bin/kernel', 'bin/dev', 'bin/ops', 'bin/docs', 'bin'],
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

test('the worker takes nothing of the API but the executor of approved requests, in its composition root', () => {
  const crossing = edges.filter(({ file, to }) => ringOf(file) === 'composition root' && ringOf(to) === 'api');
  expect(crossing).toEqual([{ file: 'worker/main.ts', to: 'api/executor.ts' }]);
});

test('workflows/ takes types from domain/, and nothing that runs: rules are no part of histories', () => {
  const values = /^\s*import\s+(?!type\b)[^'"]*?from\s+'(\.[^']*domain\/[^']+)'/gm;
  const found = globSync('workflows/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(values)].map(([, to]) => `${file} → ${to}`),
  );
  expect(found).toEqual([]);
});

test('domain/ imports nothing but itself and TypeBox, its flow expressions their library: no Temporal, no Node', () => {
  const modules = /^\s*(?:import|export)\s[^'"]*?from\s+'([^.'][^']*)'/gm;
  const isExpression = (file: string, name: string) =>
    file.startsWith('domain/flows/expressions/') && /^@marcbachmann\/cel-js(?:\/evaluator)?$/.test(name);
  const found = globSync('domain/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(modules)]
      .map(([, name]) => ({ file, name: name! }))
      .filter(({ name }) => name !== 'typebox' && !isExpression(file, name)),
  );
  expect(found).toEqual([]);
});

test('nothing but the flow expressions imports their library', () => {
  const found = files.filter(
    (file) => !file.startsWith('domain/flows/expressions/') && readFileSync(file, 'utf8').includes("'@marcbachmann"),
  );
  expect(found).toEqual(['bin/docs/dependencies.ts']);
});

/** The rooms of api/, which every feature may import, and what each of them may import (docs/architecture.md#rooms). */
const rooms: Readonly<Record<string, readonly string[]>> = {
  declare: [],
  validation: ['declare'],
  web: ['declare', 'validation'],
  callers: ['declare', 'web'],
  preview: ['declare'],
  pipeline: ['declare', 'validation', 'web', 'callers', 'preview'],
  documents: ['declare', 'validation', 'web'],
};
/** What a feature lends to the others, beside its schemas. */
const lent = new Set(['api/orders/guestOrders.ts', 'api/paymentSettings/circuits.ts', 'api/uploads/images.ts', 'api/visits/visit.ts']);

test('inside api/, a feature reaches another only through the schemas that it shares and what it lends', () => {
  const feature = (path: string) => path.split('/')[1]!;
  const strays = edges.filter(
    ({ file, to }) =>
      /^api\/[^/]+\//.test(file) &&
      to.startsWith('api/') &&
      !(feature(to) in rooms) &&
      feature(file) !== feature(to) &&
      !to.endsWith('/schemas.ts') &&
      !lent.has(to),
  );
  expect(strays.map(({ file, to }) => `${file} → ${to}`)).toEqual([]);
});

test('a room of api/ imports only the rooms that it may, and no feature', () => {
  const room = (path: string) => /^api\/(\w+)\//.exec(path)?.[1] ?? '';
  const strays = edges.filter(({ file, to }) => {
    const [from, target] = [room(file), room(to)];
    return from in rooms && to.startsWith('api/') && from !== target && !rooms[from]!.includes(target);
  });
  expect(strays.map(({ file, to }) => `${file} → ${to}`)).toEqual([]);
});

test('the thread in which sellers’ graphs are computed loads rules and views, no database, network or request', () => {
  const values = /^\s*(?:import|export)\s+(?!type\b)[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm;
  const loaded = new Set(['api/flows/thread.ts']);
  for (const file of loaded)
    for (const [, from, dynamic] of readFileSync(file, 'utf8').matchAll(values))
      loaded.add(relative('.', join(dirname(file), (from ?? dynamic)!)));
  expect(loaded.size).toBeGreaterThan(40);
  expect([...loaded].filter((file) => ringOf(file) !== 'domain' && !file.startsWith('api/flows/'))).toEqual([]);
});

test('no business time comes from the wall clock in workflows, transitions and SQL', () => {
  const files = [...globSync('{domain,workflows}/**/*.ts'), ...globSync('db/**/*.ts'), ...globSync('activities/**/*.ts')];
  // Times of spans are no business times.
  const allowedFiles = new Set(['db/kernel/clock.ts', 'workflows/kernel/run.ts', 'workflows/kernel/tracing.ts']);
  const found = files.filter(
    (file) =>
      !allowedFiles.has(file) &&
      /Date\.now\(\)|new Date\(\)|\bnow\(\)(?!:)|CURRENT_TIMESTAMP/.test(
        readFileSync(file, 'utf8').replaceAll(/(clock|performance)\.now\(\)/g, ''),
      ),
  );
  expect(found).toEqual([]);
});

test('no folder imports in a circle', () => {
  // What stands beside the folders of a ring is a node of its own.
  const folder = (path: string) => (path.split('/').length > 2 ? path.split('/').slice(0, 2).join('/') : path);
  expect(circleIn(usesOf(folder))).toEqual([]);
});

test('no folder of domain/ imports in a circle, at any depth: what runs a flow knows nothing of what checks or rehearses it', () => {
  const uses = usesOf(dirname);
  expect(circleIn(new Map([...uses].filter(([folder]) => folder.startsWith('domain/'))))).toEqual([]);
});

test('no file imports in a circle', () => {
  expect(circleIn(usesOf((path) => path))).toEqual([]);
});

/** Who imports whom, by what `named` makes of their paths. */
function usesOf(named: (path: string) => string): ReadonlyMap<string, ReadonlySet<string>> {
  const uses = new Map<string, Set<string>>();
  for (const { file, to } of edges) {
    const [from, target] = [named(file), named(to)];
    if (from !== target) uses.set(from, (uses.get(from) ?? new Set()).add(target));
  }
  return uses;
}

/** The first circle, or none. */
function circleIn(uses: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const visit = (one: string, path: readonly string[]): string[] => {
    if (path.includes(one)) return [...path.slice(path.indexOf(one)), one];
    if (done.has(one)) return [];
    for (const next of uses.get(one) ?? []) {
      const circle = visit(next, [...path, one]);
      if (circle.length > 0) return circle;
    }
    done.add(one);
    return [];
  };
  for (const one of uses.keys()) {
    const circle = visit(one, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

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
