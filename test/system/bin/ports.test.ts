import { expect, test } from '@jest/globals';
import { freePort } from '../../../bin/dev/ports.ts';

test('a port that fetch refuses to call is never chosen', async () => {
  for (const wanted of [5060, 6000, 6566, 6665, 6697, 10_080]) {
    const port = await freePort(wanted);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => String(error.cause));
    expect(answer).not.toContain('bad port');
    expect(answer).toContain('ECONNREFUSED');
  }
});
