/** One language: `docs/glossary.md` names each thing once, and the code does not use the words that it gave up. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const page = readFileSync('docs/glossary.md', 'utf8');
const [terms, given] = page.split('## Not used') as [string, string];
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row]) => row!.split(' | ')).filter(([first]) => first !== 'Term' && first !== 'Word');

test('every term has one meaning, and a place that is there', () => {
  const names = rows(terms).map(([name]) => name!);
  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(names).toEqual([...new Set(names)].toSorted((a, b) => a.localeCompare(b)));
  const missing = rows(terms).flatMap(([name, , where]) =>
    [...where!.matchAll(/`([^`]+)`/g)]
      .map(([, path]) => path!.replace(/#.*$/, '').replaceAll(/<[^>]+>/g, '*'))
      .filter((path) => globSync(path.endsWith('/') ? `${path}**` : path).length === 0)
      .map((path) => `${name}: ${path}`),
  );
  expect(missing).toEqual([]);
});

const BANNED =
  /\b(?:[wW]ish(?:e[sd])?|obey\w*|owe[sd]?|Owed|owedBy|bear|[bB]irth|bornAt|poke[sd]?\w*|lookAgain|inStore|patiently|insist|untold|lapse[sd]?)\b|\b(?:MOST|LEAST)_/;

test('no code uses a word that was given up', () => {
  expect(rows(given).length).toBeGreaterThan(5);
  const found = globSync('{api,domain,workflows,db,activities,worker,simulator,bin,bench,test}/**/*.ts')
    .filter((file) => file !== 'test/units/docs/glossary.test.ts')
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) => (BANNED.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});
