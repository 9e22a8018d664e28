import type { Endpoint } from '../declare/endpoint.ts';
import { collect } from './collect.ts';

export const visits: readonly Endpoint[] = [collect];
