import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { readClock } from './readClock.ts';

/** The store's clock. */
export const CLOCK: Subject = shownBy(readClock, { type: 'STORE' });
