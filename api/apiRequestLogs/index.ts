import type { Endpoint } from '../kernel/endpoint.ts';
import { list } from './list.ts';

export const apiRequestLogs: readonly Endpoint[] = [list];
