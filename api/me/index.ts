import type { Endpoint } from '../declare/endpoint.ts';
import { listStores } from './listStores.ts';

export const me: readonly Endpoint[] = [listStores];
