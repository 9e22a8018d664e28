import type { Endpoint } from '../kernel/endpoint.ts';
import { get } from './get.ts';

export const salesReport: readonly Endpoint[] = [get];
