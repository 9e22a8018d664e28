import { changeSettings } from '../../db/paymentSettings/commands.ts';
import { readSettings } from '../../db/paymentSettings/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { domainProblems, normalizeDomains } from './domains.ts';
import { Settings, SettingsPatch, viewSettings } from './schemas.ts';
import { PAYMENT_SETTINGS } from './subject.ts';

export const replace = endpoint({
  id: 'paymentSettings.replace',
  route: 'PUT /v1/store/payment-settings',
  summary: 'Change the sent fields: sandbox mode, routing, priority, payment domains',
  access: 'store',
  console: ['OWNER'],
  agent: 'denied',
  scopes: ['store:rw'],
  target: PAYMENT_SETTINGS,
  change: 'here',
  body: SettingsPatch,
  check: domainProblems,
  data: Settings,
  errors: ['CONCURRENT_UPDATE', 'LIVE_GATE_NOT_MET', 'LIVE_PAYMENTS_DISABLED'],
}).handle(async ({ tx, body, deps }) => {
  const { paymentDomains, ...rest } = body;
  await changeSettings(tx, { ...rest, ...(paymentDomains && { paymentDomains: normalizeDomains(paymentDomains) }) });
  return viewSettings(await readSettings(tx), deps.config.publicUrl);
});
