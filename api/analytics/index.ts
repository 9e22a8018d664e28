import type { Endpoint } from '../declare/endpoint.ts';
import { overview } from './overview.ts';
import { products } from './products.ts';
import { sources } from './sources.ts';

export const analytics: readonly Endpoint[] = [overview, products, sources];
