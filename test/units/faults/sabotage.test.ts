import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { SABOTAGES } from '../../faults/sabotage.ts';

test.each(SABOTAGES)('the sabotage "$name" fits one place of $file', ({ file, find, put }) => {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  expect(parts).toHaveLength(2);
  expect(put).not.toBe(find);
});
