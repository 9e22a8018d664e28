import type { Endpoint } from '../declare/endpoint.ts';
import { approve } from './approve.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { reject } from './reject.ts';

export const approvals: readonly Endpoint[] = [list, get, approve, reject];
