/**
 * Whatever code and pages cite is in this repository: decisions by their number, subjects of the contract and sections by their heading.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';

interface Source {
  readonly file: string;
  readonly text: string;
}
const read = (file: string): Source => ({ file, text: readFileSync(file, 'utf8') });
const code = [
  ...globSync('{api,domain,workflows,db,activities,worker,simulator,bin,bench,test,ops}/**/*.{ts,js,mjs,yml}'),
  ...globSync('{README.md,CONTRIBUTING.md,CHANGELOG.md,.env.example,Dockerfile,docker-compose.yml,jest.config.js,bin/dev/hooks/*}'),
].map(read);
const pages = globSync('docs/*.md').map(read);
const DECISIONS = 'docs/decisions.md';
const CONTRACT = 'docs/contract.md';

/** As GitHub makes them: `API tokens` → `api-tokens`. */
const anchorsOf = ({ text }: Source): string[] =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
const anchors = new Map(pages.map((page) => [page.file, anchorsOf(page)]));
const isThere = (file: string, anchor: string | undefined): boolean =>
  anchor === undefined ? existsSync(file) : (anchors.get(file) ?? []).includes(anchor);

/** The number of a decision, and nothing else that is written so: `%F0`, `S3`, `P20D`. */
const DECISION = /(?<![%\w.-])[DXGUYNRF][1-9]\d{0,2}(?![\w-])/g;
const decisionsIn = (sources: readonly Source[]): Set<string> =>
  new Set(sources.flatMap(({ text }) => [...text.matchAll(DECISION)].map(([number]) => number)));
const explained = [...read(DECISIONS).text.matchAll(/^### (\w+)$/gm)].map(([, number]) => number!);
const cited = decisionsIn([...code, ...pages.filter(({ file }) => file !== DECISIONS)]);

test('every decision that is cited is explained', () => {
  expect(cited.size).toBeGreaterThan(90);
  expect([...cited].filter((number) => !explained.includes(number))).toEqual([]);
});

test('every decision that is explained is cited', () => {
  expect(explained.filter((number) => !cited.has(number))).toEqual([]);
});

test('a heading is an anchor: no page has one twice', () => {
  const twice = [...anchors].flatMap(([file, all]) => all.filter((one, i) => all.indexOf(one) < i).map((one) => `${file}#${one}`));
  expect(twice).toEqual([]);
});

test('every section that is cited, and every link between pages, leads somewhere', () => {
  const inCode = [...code, ...pages].flatMap(({ file, text }) =>
    [...text.matchAll(/\bdocs\/([\w-]+)\.md(?:#([\w-]+))?/g)].map(([, page, anchor]) => ({ file, to: `docs/${page}.md`, anchor })),
  );
  const links = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\(([\w-]+\.md)?(?:#([\w-]+))?\)/g)].map(([, page, anchor]) => ({
      file,
      to: page ? `docs/${page}` : file,
      anchor,
    })),
  );
  const dead = [...inCode, ...links].filter(({ to, anchor }) => !isThere(to, anchor));
  expect(dead.map(({ file, to, anchor }) => `${file} → ${to}#${anchor ?? ''}`)).toEqual([]);
});

/** Pages that were never in this repository, and sections of anything but an RFC. */
const ELSEWHERE = [/\b[Pp]art [AB]\b/, /(?<![\w/.-])(?:design|shared|spec)\/\w/, /(?<!RFC \d+ (?:\u00a7 [\d.]+, )*)\u00a7 ?\w/] as const;
/** What `bin/docs/` writes stands in `docs/`. */
const folderOf = (file: string): string => (file.startsWith('bin/docs/') ? 'docs/' : file.replace(/[^/]+$/, ''));
const missingPage = (file: string, line: string): boolean =>
  [...line.matchAll(/[\w./-]+\.md\b/g)].some(([page]) => !existsSync(page) && !existsSync(`${folderOf(file)}${page}`));

test('nothing cites a page that is not here', () => {
  const strays = [...code, ...pages].flatMap(({ file, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        ELSEWHERE.some((pattern) => pattern.test(line)) || missingPage(file, line) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(strays).toEqual([]);
});

test('every operation is named in exactly one subject of the contract, and nothing else is', () => {
  const ids = endpoints.map(({ id }) => id).toSorted();
  const features = new Set(ids.map((id) => id.split('.')[0]));
  const subjects = read(CONTRACT).text.split(/^### /m).slice(1);
  const named = subjects.flatMap((subject) => {
    const found = [...subject.matchAll(/`([A-Za-z]+)\.([A-Za-z]+)`/g)].filter(([, feature]) => features.has(feature));
    return [...new Set(found.map(([, feature, verb]) => `${feature}.${verb}`))];
  });
  expect(named.toSorted()).toEqual(ids);
});
