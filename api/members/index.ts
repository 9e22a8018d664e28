import type { Endpoint } from '../declare/endpoint.ts';
import { change } from './change.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

export const members: readonly Endpoint[] = [list, change, remove];
