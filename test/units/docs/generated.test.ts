/** Pages that are generated from the code are what the code says now. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/declare/errors.ts';
import { statesPage } from '../../../bin/diagrams.ts';
import { PAGES } from '../../../bin/docs.ts';
import { WHY } from '../../../bin/docs/dependencies.ts';
import { catalogue } from '../../../domain/kernel/errors.ts';

const page = (name: string): string => readFileSync(`docs/${name}.md`, 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
const packages = { ...manifest.dependencies, ...manifest.devDependencies };

test('docs/states.md is what npm run diagrams draws', () => {
  expect(page('states')).toBe(statesPage());
});

test.each(Object.entries(PAGES))('%s is what npm run docs writes', (file, write) => {
  expect(readFileSync(file, 'utf8')).toBe(write());
});

test('docs/errors.md lists every error with its status and message, and no other', () => {
  const rows = [...page('errors').matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \| ([^|]+) \| [^|]+ \|$/gm)].map(
    ([, status, code, message]) => `${status} ${code} ${message}`,
  );
  expect(rows.toSorted()).toEqual(
    Object.entries(catalogue)
      .map(([code, { status, message }]) => `${status} ${code} ${message}`)
      .toSorted(),
  );
});

test('every error is declared by an operation', () => {
  const declared = new Set(endpoints.flatMap(errorsOf));
  // Raised before an operation is known.
  const outside = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);
  expect(Object.keys(catalogue).filter((code) => !declared.has(code as keyof typeof catalogue) && !outside.has(code))).toEqual([]);
});

test('docs/dependencies.md gives a reason for every dependency, at its exact version', () => {
  const rows = [...page('dependencies').matchAll(/^\| `([^`]+)` \| (\S+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  expect(rows.toSorted()).toEqual(
    Object.entries(packages)
      .map(([name, version]) => `${name} ${version}`)
      .toSorted(),
  );
  expect(Object.values(packages).filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  expect(Object.keys(WHY).toSorted()).toEqual(Object.keys(packages).toSorted());
});

test('the lockfile holds no registry address', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
});
