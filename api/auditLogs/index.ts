import type { Endpoint } from '../kernel/endpoint.ts';
import { list } from './list.ts';

export const auditLogs: readonly Endpoint[] = [list];
