/**
 * The tables of environment variables in docs/operations.md and `.env.example` hold what the code and docker-compose.yml read, and nothing
 * else.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readConfig, readWorkerConfig } from '../../../db/kernel/config.ts';

/** Of the operating system, read to find a program. */
const FOREIGN = new Set(['PATH']);

interface Row {
  readonly name: string;
  readonly readBy: string;
  readonly fallback: string;
  /** `required`, `optional`, `refused`, or in words; null where production has no business with it. */
  readonly production: string | null;
}
const page = readFileSync('docs/operations.md', 'utf8');
const chapter = page.slice(page.indexOf('## Environment variables'));
const rows: readonly Row[] = [
  ...chapter.slice(0, chapter.indexOf('\n## ', 3)).matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| ([^|]+) \| ([^|]+) \|(?: ([^|]+) \|)? [^|]+ \|$/gm),
].map(([, name, readBy, fallback, production]) => ({ name: name!, readBy: readBy!, fallback: fallback!, production: production ?? null }));

/** Who reads it, by the place of the code. */
const READERS: readonly (readonly [files: RegExp, reader: RegExp])[] = [
  [/^(?:db|api|activities|worker)\//, /\b(?:API|worker)\b/],
  [/^bin\/ops\//, /\b(?:migrate|store|keys|support|commands)\b/],
  [/^bin\//, /`npm (?:start|run \w+)`/],
  [/^simulator\//, /\bsimulator\b/],
  [/^bench\//, /\bbench\b/],
  [/^docker-compose\.yml$/, /\bcompose\b/],
  [/^test\//, /^`test\//],
  [/^jest\.config\.js$/, /^`jest\.config\.js`/],
];
interface Read {
  readonly name: string;
  readonly file: string;
  /** What stands in the code for a variable that is not set, where that is a literal. */
  readonly fallback: string | null;
}
const OWN = [
  /\benv\.(?:get|need|address|addressOr|count|flag|port)\('([A-Z][A-Z0-9_]+)'(?=(?:, (?:'([^']+)'|([\d_]+|true|false)\)))?)/g,
  /\benv\.get\('([A-Z][A-Z0-9_]+)'\) \?\? '([^']+)'/g,
  /\benv\.count\('([A-Z][A-Z0-9_]+)', env\.isProduction \? (\d+) : \d+\)/g,
  /(?<![.\w])(?:env|variables)\['([A-Z][A-Z0-9_]+)'\]/g,
  /\b(?:need|systemEnv)\('([A-Z][A-Z0-9_]+)'/g,
];
const PLAIN = /\bprocess\.env\['([A-Z][A-Z0-9_]+)'\](?=(?: \?\? (?:'([^']+)'|([\d_]+)))?)/g;
const all = (file: string, pattern: RegExp): Read[] =>
  [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name, text, count]) => ({
    name: name!,
    file,
    fallback: text ?? count ?? null,
  }));
/** `onlyInDevelopment('A', 'B')`, `const { A: a, B } = process.env`. */
const listed = (file: string): Read[] =>
  [...readFileSync(file, 'utf8').matchAll(/onlyInDevelopment\(([^)]+)\)|const \{([^}]+)\} = process\.env/g)].flatMap(([, names, fields]) =>
    [...(names ?? fields)!.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)].map(([name]) => ({ name, file, fallback: null })),
  );
const sources = globSync('{api,domain,workflows,db,activities,worker,simulator,bin,bench}/**/*.{ts,mjs}');
const reads: readonly Read[] = [
  ...sources.flatMap((file) => [...OWN.flatMap((pattern) => all(file, pattern)), ...all(file, PLAIN), ...listed(file)]),
  ...[...globSync('test/**/*.ts'), 'jest.config.js'].flatMap((file) => all(file, PLAIN)),
  ...all('docker-compose.yml', /\$\{([A-Z][A-Z0-9_]+)(?::-([^}]+))?/g),
].filter(({ name }) => !FOREIGN.has(name));
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].toSorted();

const refusals = (env: Readonly<Record<string, string>>, read: (variables: Readonly<Record<string, string>>) => unknown): string[] => {
  try {
    read({ NODE_ENV: 'production', ...env });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};
const needed = (env: Readonly<Record<string, string>>, read: (variables: Readonly<Record<string, string>>) => unknown): string[] =>
  refusals(env, read).flatMap((line) => /^Set (\w+): it has no default/.exec(line)?.[1] ?? []);

test('every variable that is read has a row, and no row is of one that nobody reads', () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.map(({ name }) => name).toSorted()).toEqual(sorted(reads.map(({ name }) => name)));
});

test('a row says who reads it', () => {
  const strays = reads.flatMap(({ name, file }) => {
    const [, reader] = READERS.find(([files]) => files.test(file))!;
    const row = rows.find((one) => one.name === name)!;
    // What a test sets or passes on besides a process is no reading of its own.
    return reader.test(row.readBy) || (file.startsWith('test/') && !row.readBy.startsWith('`test/')) ? [] : [`${name}: ${file}`];
  });
  expect(strays).toEqual([]);
});

test('a row says what stands in for a variable that is not set', () => {
  const literal = reads.flatMap(({ name, file, fallback }) =>
    fallback === null ? [] : [{ name, file, fallback: fallback.replaceAll('_', '') }],
  );
  expect(literal.length).toBeGreaterThan(25);
  const plain = ({ fallback }: Row) => fallback.replaceAll('_', '').replaceAll(',', '');
  const strays = literal.filter(
    ({ name, fallback }) => !plain(rows.find((row) => row.name === name)!).includes(fallback.replaceAll(',', '')),
  );
  expect(strays.map(({ name, file, fallback }) => `${name}: ${fallback} in ${file}`)).toEqual([]);
});

test('required in production is what a process does not start without', () => {
  const required = (what: string) => rows.filter(({ production }) => production === what).map(({ name }) => name);
  const bare = sorted([...needed({}, readConfig), ...needed({}, readWorkerConfig)]);
  expect(required('required, or `S3_BUCKET`')).toEqual(['STORAGE_DIR']);
  expect(sorted([...required('required'), 'STORAGE_DIR'])).toEqual(bare);
  const inBucket = needed({ S3_BUCKET: 'b' }, readWorkerConfig).filter((name) => !bare.includes(name));
  expect(required('required with `S3_BUCKET`').toSorted()).toEqual(inBucket.toSorted());
});

test('refused in production is what no process starts with', () => {
  const refused = rows.filter(({ production }) => production === 'refused').map(({ name }) => name);
  expect(refused.length).toBeGreaterThan(1);
  for (const name of refused) expect(refusals({ [name]: 'true' }, readConfig)).toContain(`Unset ${name}: it is refused in production.`);
  const left = reads.filter(
    ({ name }) =>
      !refused.includes(name) &&
      refusals({ [name]: 'true' }, readConfig).some((line) => line === `Unset ${name}: it is refused in production.`),
  );
  expect(left).toEqual([]);
});

const example = readFileSync('.env.example', 'utf8');
const given = (pattern: RegExp): string[] => [...example.matchAll(pattern)].map(([, name]) => name!);

test('.env.example has a line for every variable that production needs, each once, and none that nobody reads', () => {
  const lines = given(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm);
  expect(lines.toSorted()).toEqual(sorted(lines));
  const names = new Set(rows.map(({ name }) => name));
  expect(lines.filter((name) => !names.has(name))).toEqual([]);
  const wanted = sorted([
    ...needed({}, readWorkerConfig),
    ...needed({ S3_BUCKET: 'b' }, readWorkerConfig),
    'DATABASE_URL',
    'NODE_ENV',
    ...inCompose(/\$\{([A-Z_]+)/g),
  ]);
  expect(wanted.filter((name) => !lines.includes(name))).toEqual([]);
});

test('.env.example leaves open exactly what docker compose has no default for', () => {
  expect(given(/^([A-Z][A-Z0-9_]+)=$/gm).toSorted()).toEqual(sorted(inCompose(/\$\{([A-Z_]+):\?/g)));
});
const inCompose = (pattern: RegExp): string[] => [...readFileSync('docker-compose.yml', 'utf8').matchAll(pattern)].map(([, name]) => name!);
