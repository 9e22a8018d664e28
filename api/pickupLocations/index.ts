import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';

export const pickupLocations: readonly Endpoint[] = [create, list, replace, remove];
