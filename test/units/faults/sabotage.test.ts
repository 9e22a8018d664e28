import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { BOOK_SABOTAGES, SABOTAGES } from '../../faults/sabotage.ts';

test.each([...SABOTAGES, ...BOOK_SABOTAGES])('the sabotage "$name" fits $file', ({ file, edits }) => {
  const source = readFileSync(join(root, file), 'utf8');
  for (const [find, put] of edits) {
    expect([find, source.split(find).length]).toEqual([find, 2]);
    expect(put).not.toBe(find);
  }
});
