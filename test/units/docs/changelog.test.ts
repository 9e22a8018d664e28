/** One version for everything that is released. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { openapi } from '../../../api/documents/openapi.ts';
import { SERVER_INFO } from '../../../api/mcp/protocol.ts';

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };
const versions = [...read('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, name]) => name!).filter((name) => name !== 'Unreleased');

test('the newest version of the changelog is that of the package, the documents, `/mcp` and the image', () => {
  const [, ofImage] = /image\.version=(\S+)/.exec(read('Dockerfile')) ?? [];
  const lock = JSON.parse(read('package-lock.json')) as {
    readonly version: string;
    readonly packages: Record<string, { version: string }>;
  };
  const documents = (['store', 'storefront'] as const).map(
    (surface) => (openapi(surface, endpoints)['info'] as { version: string }).version,
  );
  expect([version, lock.version, lock.packages['']!.version, ofImage, SERVER_INFO.version, ...documents]).toEqual(
    Array.from({ length: 7 }, () => versions[0]),
  );
});

test('versions stand newest first', () => {
  const numbers = versions.map((name) =>
    name
      .split('.')
      .map(Number)
      .reduce((all, part) => all * 1000 + part, 0),
  );
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
});
