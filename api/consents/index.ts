import type { Endpoint } from '../declare/endpoint.ts';
import { change } from './change.ts';
import { get } from './get.ts';

export const consents: readonly Endpoint[] = [get, change];
