import type { Endpoint } from '../declare/endpoint.ts';
import { advanceClock } from './advanceClock.ts';
import { readClock } from './readClock.ts';

export const sandbox: readonly Endpoint[] = [readClock, advanceClock];
