import type { Endpoint } from '../declare/endpoint.ts';
import { add } from './add.ts';
import { change } from './change.ts';
import { get } from './get.ts';
import { remove } from './remove.ts';

export const cart: readonly Endpoint[] = [get, add, change, remove];
