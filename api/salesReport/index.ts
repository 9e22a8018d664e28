import type { Endpoint } from '../declare/endpoint.ts';
import { get } from './get.ts';

export const salesReport: readonly Endpoint[] = [get];
