import type { Endpoint } from '../declare/endpoint.ts';
import { process } from './process.ts';

export const refunds: readonly Endpoint[] = [process];
