import type { Endpoint } from '../kernel/endpoint.ts';
import { process } from './process.ts';

export const refunds: readonly Endpoint[] = [process];
