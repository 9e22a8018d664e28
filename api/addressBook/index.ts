import type { Endpoint } from '../declare/endpoint.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';

export const addressBook: readonly Endpoint[] = [list, add, replace, remove];
