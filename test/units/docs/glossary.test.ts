/** One language: `docs/glossary.md` names each thing once, and the code does not use the words that it gave up. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { identifiersOf, wordsOf } from './identifiers.ts';

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

/** No word of a name, however the name is put together: `keepState`, `isKept`, `EVENTS_KEPT_MS`. */
const GIVEN_UP = new RegExp(
  `^(?:${[
    'wish(?:e[sd])?|obey\\w*|ow(?:e[sd]?|ing)|bears?|birth|born|poke\\w*|patiently|insist\\w*|untold|lapse\\w*|shelf|remedy|twins?|place',
    'keep(?:s|ing|able)?|kept|tell(?:s|ing)?|told|look(?:s|ed|ing)?|ask(?:s|ed|ing)?|judg\\w*|says?|said|noted|doubt\\w*',
  ].join('|')})$`,
);
/** Names that others gave, or that stored data and recorded histories have. */
const NAMES = new Set([
  // Node and pg.
  'keepAlive',
  'keepAliveTimeout',
  'keepAliveInitialDelayMillis',
  // An activity of recorded histories, a column, and a field of stored steps of flows.
  'askExternal',
  'askedAt',
  'told',
  // The operations `orders.lookUp` and `claims.lookUp`.
  'lookUp',
]);
/** In sentences, too. */
const WORDS = [
  'obey\\w*|owe[sd]?|Owed|owedBy|bornAt|poke[sd]?\\w*|lookAgain|inStore|patiently|insist|untold|lapse[sd]?',
  'takeText|takeUse|giveBackUse|note(?:Failure|SoldOut|Claim|Stock|Upload)|whileSaying|wakeLater|holdClock',
  'claimTarget|leaveToRun|(?:webhook|invitation|signing|reply)Place',
];
const BANNED = new RegExp(`\\b(?:${WORDS.join('|')})\\b|\\b(?:MOST|LEAST)(?:_|\\b)`);
const CODE = '{api,domain,workflows,db,activities,worker,simulator,bin,bench,test}/**/*.ts';
const files = globSync(CODE)
  .filter((file) => file !== 'test/units/docs/glossary.test.ts')
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

test('names are read word by word, without texts and comments', () => {
  const text =
    "const keepIt = isKept(`told ${HTTP_ASKED} ${`${lookFor}`}`, /said '/, 'tell'); // judge\nconst MAX_TOLD2 = a / b / sayHTTPSNow;";
  expect(identifiersOf(text).map(({ name, line }) => [line, ...wordsOf(name)])).toEqual([
    [1, 'const'],
    [1, 'keep', 'it'],
    [1, 'is', 'kept'],
    [1, 'http', 'asked'],
    [1, 'look', 'for'],
    [2, 'const'],
    [2, 'max', 'told2'],
    [2, 'a'],
    [2, 'b'],
    [2, 'say', 'https', 'now'],
  ]);
});

test('no name has a word that was given up', () => {
  expect(rows(given).length).toBeGreaterThan(5);
  const found = files.flatMap(({ file, text }) =>
    identifiersOf(text)
      .filter(({ name }) => !NAMES.has(name) && wordsOf(name).some((word) => GIVEN_UP.test(word)))
      .map(({ name, line }) => `${file}:${line}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('no line has a word that was given up in sentences, too', () => {
  const found = files.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, i) => (BANNED.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
