import type { Endpoint } from '../declare/endpoint.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

export const wishlist: readonly Endpoint[] = [list, add, remove];
