import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { price } from './price.ts';
import { quote } from './quote.ts';

export const checkout: readonly Endpoint[] = [create, get, price, quote];
