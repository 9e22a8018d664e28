/** When scheduled jobs run, and as what time their runs count. */
import { expect, test } from '@jest/globals';
import { intervalAt, JOB_NAMES, JOBS } from '../../../workflows/kernel/jobs.ts';

test('a run counts as the beginning of its interval, however late it starts', () => {
  const at = (text: string) => Date.parse(`${text}+09:00`);
  for (const late of ['12:10:00', '12:10:02.500', '12:19:59.999'])
    expect(intervalAt('point-expiry', at(`2026-11-24T${late}`))).toBe(at('2026-11-24T12:10:00'));
  for (const late of ['2026-11-24T04:00:00', '2026-11-25T03:59:59'])
    expect(intervalAt('point-check', at(late))).toBe(at('2026-11-24T04:00:00'));
});

test('an interval has room for its offset', () => {
  for (const job of JOB_NAMES) expect(JOBS[job].offsetMs).toBeLessThan(JOBS[job].everyMs);
});
