import { listDeliveries as findDeliveries } from '../../db/webhooks/deliveries.ts';
import { DELIVERY_STATUSES } from '../../domain/webhooks/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { fitted } from '../kernel/answers.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { DELIVERY_CUT, ListedDelivery, viewDelivery } from './schemas.ts';

export const listDeliveries = endpoint({
  id: 'webhooks.listDeliveries',
  route: 'GET /v1/webhooks/{webhookId}/deliveries',
  summary: 'List deliveries of a webhook, newest first',
  access: 'store',
  scopes: ['webhook:r'],
  change: 'none',
  query: Type.Object({
    status: Type.Optional(Type.String({ 'x-document': { enum: DELIVERY_STATUSES } })),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  }),
  data: closed({ items: Type.Array(ListedDelivery) }),
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_PARAMETER'],
}).handle(async ({ tx, params, query, at }) => {
  const status = DELIVERY_STATUSES.find((known) => known === query.status);
  if (query.status !== undefined && !status) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'status' } });
  const rows = await findDeliveries(tx, params.webhookId, {
    limit: query.limit,
    at,
    ...(status && { status }),
  });
  return fitted({ items: rows.map(viewDelivery) }, query.limit, DELIVERY_CUT);
});
