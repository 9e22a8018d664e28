import type { Endpoint } from '../declare/endpoint.ts';
import { deactivate } from './deactivate.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { rotateSecret } from './rotateSecret.ts';

export const clients: readonly Endpoint[] = [list, get, rotateSecret, deactivate];
