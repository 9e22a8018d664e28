import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { remove } from './remove.ts';

export const categories: readonly Endpoint[] = [create, list, get, patch, remove];
