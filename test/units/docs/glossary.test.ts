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

const WORDS = [
  '[wW]ish(?:e[sd])?|obey\\w*|owe[sd]?|Owed|owedBy|bear|[bB]irth|bornAt|poke[sd]?\\w*|lookAgain|inStore|patiently|insist|untold|lapse[sd]?',
  'keepText|takeText|keepFile|keepInBrowser|keepPartitions|keepRoles?|keptMs|keptOf|lookOf|lookOnceMore|tellFlat|tellPeople|whileSaying',
  'Remedy|readShelf|takeUse|giveBackUse|note(?:Failure|SoldOut|Claim|Stock|Upload)|judge(?:ReturnUrl|sPassword)|wakeLater|holdClock',
  'claimTarget|leaveToRun|(?:webhook|invitation|signing|reply)Place',
];
const BANNED = new RegExp(`\\b(?:${WORDS.join('|')})\\b|\\b(?:MOST|LEAST)_`);
/** Plain English in a sentence, and no name for anything. */
const NO_NAMES =
  /\b(?:const|let|function|type|interface|class) #?(?:told|tell|kept|keep|asked|ask|asking|look|looked|looks|place|said|say|doubt|judged?)\b/i;

test('no code uses a word that was given up', () => {
  expect(rows(given).length).toBeGreaterThan(5);
  expect(linesWith(BANNED, '{api,domain,workflows,db,activities,worker,simulator,bin,bench,test}/**/*.ts')).toEqual([]);
});

test('no name is a word that says nothing about the thing', () => {
  expect(linesWith(NO_NAMES, '{api,domain,workflows,db,activities,worker,simulator,bin,bench,test}/**/*.ts')).toEqual([]);
});

const linesWith = (words: RegExp, files: string): string[] =>
  globSync(files)
    .filter((file) => file !== 'test/units/docs/glossary.test.ts')
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) => (words.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
    );
