import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { revoke } from './revoke.ts';

export const apiTokens: readonly Endpoint[] = [create, list, revoke];
