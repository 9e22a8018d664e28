import type { Endpoint } from '../declare/endpoint.ts';
import { get } from './get.ts';
import { list } from './list.ts';

export const settlements: readonly Endpoint[] = [list, get];
