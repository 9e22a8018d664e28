import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { makeDefault } from './makeDefault.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';

export const addresses: readonly Endpoint[] = [create, list, get, replace, remove, makeDefault];
