import type { Endpoint } from '../declare/endpoint.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { retry } from './retry.ts';
import { start } from './start.ts';
import { status } from './status.ts';

export const payments: readonly Endpoint[] = [list, get, start, retry, status];
