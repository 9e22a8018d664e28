import { readSettings } from '../../db/paymentSettings/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Settings, viewSettings } from './schemas.ts';

export const get = endpoint({
  id: 'paymentSettings.get',
  route: 'GET /v1/store/payment-settings',
  summary: 'Read how the shop takes payments: providers, credentials as hints, routing, and what live mode still needs',
  access: 'store',
  console: ['OWNER'],
  scopes: ['store:r'],
  change: 'none',
  data: Settings,
}).handle(async ({ tx, deps }) => viewSettings(await readSettings(tx), deps.config.publicUrl));
