import { listDeliveries as findDeliveries } from '../../db/webhooks/deliveries.ts';
import { DELIVERY_STATUSES } from '../../domain/webhooks/rules.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, read } from '../declare/parameters.ts';
import { closed, Type } from '../declare/schema.ts';
import { DELIVERY_CUT, ListedDelivery, viewDelivery } from './schemas.ts';

const Query = Type.Object({
  status: named(among(DELIVERY_STATUSES), 'In this status'),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
});

export const listDeliveries = endpoint({
  id: 'webhooks.listDeliveries',
  route: 'GET /v1/webhooks/{webhookId}/deliveries',
  summary: 'List deliveries of a webhook, newest first',
  access: 'store',
  scopes: ['webhook:r'],
  change: 'none',
  query: Query,
  data: closed({ items: Type.Array(ListedDelivery) }),
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_PARAMETER'],
}).handle(async ({ tx, params, query, at }) => {
  const rows = await findDeliveries(tx, params.webhookId, {
    limit: query.limit,
    at,
    ...read(Query, query),
  });
  return fitted({ items: rows.map(viewDelivery) }, query.limit, DELIVERY_CUT);
});
