import type { Endpoint } from '../declare/endpoint.ts';
import { list } from './list.ts';

export const events: readonly Endpoint[] = [list];
