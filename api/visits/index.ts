import type { Endpoint } from '../kernel/endpoint.ts';
import { collect } from './collect.ts';

export const visits: readonly Endpoint[] = [collect];
