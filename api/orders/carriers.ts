import { CARRIERS } from '../../domain/orders/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';

export const carriers = endpoint({
  id: 'orders.carriers',
  route: 'GET /v1/carriers',
  summary: 'List the carriers that a dispatch may name',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: closed({ items: Type.Array(closed({ carrierCode: Type.String(), name: Type.String() })) }),
}).handle(async () => ({ items: Object.entries(CARRIERS).map(([carrierCode, name]) => ({ carrierCode, name })) }));
