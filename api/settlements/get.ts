import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Settlement } from './schemas.ts';

export const get = endpoint({
  id: 'settlements.get',
  route: 'GET /v1/settlements/{settlementId}',
  summary: 'Settlements have been replaced by the sales report: there are none',
  access: 'store',
  scopes: ['settlement:r'],
  change: 'none',
  successor: '/v1/sales-report',
  data: Settlement,
  errors: ['SETTLEMENT_NOT_FOUND'],
}).handle(async () => {
  throw new Fault('SETTLEMENT_NOT_FOUND');
});
