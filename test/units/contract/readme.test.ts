import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/kernel/openapi.ts';
import { catalogue } from '../../../domain/kernel/errors.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

test('the README lists every error with its status and message, and no other', () => {
  const rows = [...readme.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \| (.+) \|$/gm)].map(
    ([, status, code, message]) => `${status} ${code} ${message}`,
  );
  expect(rows.toSorted()).toEqual(
    Object.entries(catalogue)
      .map(([code, { status, message }]) => `${status} ${code} ${message}`)
      .toSorted(),
  );
});

test('the README names every command, and none that does not exist', () => {
  const named = new Set([...readme.matchAll(/`npm (?:run (?:--silent )?)?([a-z:]+)/g)].map(([, name]) => name!));
  const hidden = new Set(['format:check']);
  expect([...named].toSorted()).toEqual(
    Object.keys(manifest.scripts)
      .filter((name) => !hidden.has(name))
      .toSorted(),
  );
});

test('the README gives a reason for every dependency, at its exact version', () => {
  const rows = [...readme.matchAll(/^\| `([^`]+)` (\S+) \| (.+) \|$/gm)].map(([, name, version]) => `${name} ${version}`);
  const all = { ...manifest.dependencies, ...manifest.devDependencies };
  expect(rows.toSorted()).toEqual(
    Object.entries(all)
      .map(([name, version]) => `${name} ${version}`)
      .toSorted(),
  );
  expect(Object.values(all).filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('every error is declared by an operation', () => {
  const declared = new Set(endpoints.flatMap(errorsOf));
  // Raised before an operation is known.
  const outside = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);
  expect(Object.keys(catalogue).filter((code) => !declared.has(code as keyof typeof catalogue) && !outside.has(code))).toEqual([]);
});

test('the lockfile holds no registry address', () => {
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved": "http');
});
