/** Comments and SQL wrap at 140 columns, as the formatter wraps the code around them. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const MAX_WIDTH = 140;
const COMMENT = /^\s*(?:\/\*|\*|\/\/)|[;{},)] \/\/ /;
/** A keyword, or the names of three columns in a row. */
const SQL =
  /\b(?:SELECT|INSERT INTO|DELETE FROM|WHERE|ORDER BY|GROUP BY|RETURNING|NOT NULL|ON CONFLICT|PERFORM)\b|(?:\b[a-z]+_[a-z_]+, ){3}/;
/** A regular expression has no place to be wrapped at. */
const REGEXP = /^\s*\/\S/;

test('no comment, no SQL and no line of db/ is wider than 140 columns', () => {
  const wide = globSync('{api,domain,workflows,db,activities,worker,simulator,bin,bench,test,tools}/**/*.{ts,js,mjs}')
    .filter((file) => !file.includes('node_modules'))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) => {
          const isMeant = COMMENT.test(line) || (!REGEXP.test(line) && (file.startsWith('db/') || SQL.test(line)));
          return line.length > MAX_WIDTH && isMeant ? [`${file}:${i + 1}`] : [];
        }),
    );
  expect(wide).toEqual([]);
});
