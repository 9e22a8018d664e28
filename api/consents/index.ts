import type { Endpoint } from '../kernel/endpoint.ts';
import { change } from './change.ts';
import { get } from './get.ts';

export const consents: readonly Endpoint[] = [get, change];
