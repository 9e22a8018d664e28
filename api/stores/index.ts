import type { Endpoint } from '../declare/endpoint.ts';
import { get } from './get.ts';
import { getSubscription } from './getSubscription.ts';
import { patch } from './patch.ts';

export const stores: readonly Endpoint[] = [get, patch, getSubscription];
