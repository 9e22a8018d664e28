import type { Endpoint } from '../kernel/endpoint.ts';
import { listStores } from './listStores.ts';

export const me: readonly Endpoint[] = [listStores];
