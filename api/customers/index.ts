import type { Endpoint } from '../declare/endpoint.ts';
import { changeConsent } from './changeConsent.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { listConsents } from './listConsents.ts';
import { listOrders } from './listOrders.ts';
import { withdraw } from './withdraw.ts';

export const customers: readonly Endpoint[] = [list, get, listOrders, listConsents, changeConsent, withdraw];
