import type { Endpoint } from '../kernel/endpoint.ts';
import { get } from './get.ts';
import { retry } from './retry.ts';
import { start } from './start.ts';
import { status } from './status.ts';

export const payments: readonly Endpoint[] = [get, start, retry, status];
