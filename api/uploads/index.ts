import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { createOrderInput } from './createOrderInput.ts';

export const uploads: readonly Endpoint[] = [create, createOrderInput];
