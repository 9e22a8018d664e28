/** The part of the walk (examples.ts) in which an owner sets up how the shop takes payments: each operation of payment settings once. */
type Walk = (id: string, method: string, path: string, request?: unknown) => Promise<unknown>;

const SETTINGS = '/v1/store/payment-settings';
const PROVIDERS = '/v1/store/payment-providers';

export async function paymentSettings(as: Walk): Promise<void> {
  const toss = { environment: 'LIVE', clientKey: 'live_ck_sangjeom', secretKey: 'live_sk_sangjeom' };
  await as('paymentSettings.putTossPayments', 'PUT', `${PROVIDERS}/tosspayments`, toss);
  await as('paymentSettings.putPortOne', 'PUT', `${PROVIDERS}/portone`, {
    environment: 'TEST',
    storeId: 'store-sangjeom',
    channelKey: 'channel-key-sangjeom',
    apiSecret: 'portone-sangjeom-secret',
  });
  await as('paymentSettings.verify', 'POST', `${PROVIDERS}/portone/verify`, { environment: 'TEST' });
  const methods = [{ method: 'CARD' }, { method: 'EASY_PAY', provider: 'KAKAOPAY' }];
  await as('paymentSettings.changeProvider', 'PATCH', `${PROVIDERS}/portone`, { enabled: true, methods });
  await as('paymentSettings.replace', 'PUT', SETTINGS, { routing: 'AUTO_FAILOVER', paymentDomains: ['example.com'] });
  await as('paymentSettings.get', 'GET', SETTINGS);
  await as('paymentSettings.removeCredentials', 'DELETE', `${PROVIDERS}/tosspayments/credentials/LIVE`);
  await as('paymentSettings.changeProvider', 'PATCH', `${PROVIDERS}/portone`, { enabled: false });
  await as('paymentSettings.removeProvider', 'DELETE', `${PROVIDERS}/portone`);
}
