/** A provider's secret leaves the API only towards its provider, and is at rest only sealed. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, pay } from '../../../bin/dev/client.ts';
import { query, temporalClient, underTest, until } from '../../kernel/world.ts';
import { textsOf } from '../runs/canaries.ts';
import { type Begun, cardOf, keysOf, PaidShop, pathOf, type Provider, PROVIDERS, SETTINGS, untilRefunded } from './shop.ts';

let shop: PaidShop;
/** Every answer that an operation of the settings gave. */
const answers: string[] = [];
const secrets = new Set<string>();
const since = new Date();

/** Keys whose public halves have the merchant's name, and their secrets too: only whole secrets are searched for. */
function known(pg: Provider, merchant: string) {
  const keys = keysOf(pg, merchant);
  for (const secret of 'secretKey' in keys ? [keys.secretKey] : [keys.apiSecret, keys.webhookSecret]) secrets.add(secret);
  return keys;
}
const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<string> => {
  const reply = await shop.owner(method, path, body, headers);
  answers.push(JSON.stringify(reply.body) + JSON.stringify([...reply.headers]));
  return `${reply.status} ${reply.body.error?.code ?? reply.body.meta.code}`;
};

/** Every way in which a secret can be sent, carried out or refused. */
async function storeAll(pg: Provider): Promise<string[]> {
  const [path, first] = [pathOf(pg), known(pg, `${shop.merchant}s1x`)];
  const key = { 'idempotency-key': `secret-${pg}` };
  const other = known(pg, `${shop.merchant}s2x`);
  const swapped = Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, name === 'clientKey' ? firstSecret(first) : value]),
  );
  const outcomes = [
    await send('PUT', path, first, key),
    await send('PUT', path, first, key),
    await send('PUT', path, other, key),
    await send('PUT', path, { ...other, expectedVersion: 1 }),
    await send('PUT', path, { ...other, environment: firstSecret(other) }),
    await send('PUT', path, { ...swapped, storeId: firstSecret(other), channelKey: firstSecret(other) }),
    await send('PUT', path, { ...other, secretKey: ` ${firstSecret(other)}`, apiSecret: [firstSecret(other)] }),
    await send('PUT', path, { ...other, more: firstSecret(other) }),
    await send('PUT', path, `{"secretKey": "${firstSecret(other)}", "apiSecret": "${firstSecret(other)}`),
    await send('PUT', path, other, { 'x-svc-dry-run': '1' }),
    await send('POST', `${path}/verify`, {}, key),
    await send('POST', `${path}/verify`, {}, key),
    await send('POST', `${path}/verify`, { environment: firstSecret(other) }),
    await send('PATCH', path, { enabled: true, methods: [{ method: firstSecret(other) }] }),
    await send('PUT', SETTINGS, { paymentDomains: [firstSecret(other)], priority: [firstSecret(other)] }),
    await send('DELETE', `${path}/credentials/TEST`),
    await send('GET', SETTINGS),
  ];
  const seller = await shop.world.seller.call('PUT', path, other);
  answers.push(JSON.stringify(seller.body));
  return [...outcomes, `${seller.status} ${seller.body.error?.code}`];
}
const firstSecret = (keys: ReturnType<typeof keysOf>): string => ('secretKey' in keys ? keys.secretKey : keys.apiSecret);

const INVALID = '400 VALIDATION_FAILED';
const OUTCOMES = [
  '200 OK',
  '200 OK',
  '200 OK',
  '409 PAYMENT_PROVIDER_CHANGED',
  INVALID,
  INVALID,
  INVALID,
  INVALID,
  INVALID,
  '200 DRY_RUN',
  '200 OK',
  '200 OK',
  INVALID,
  INVALID,
  INVALID,
  '409 PAYMENT_CREDENTIAL_ACTIVE',
  '200 OK',
  '403 INSUFFICIENT_ROLE',
];

/** Payments with these secrets, a refund, a decline, refused keys and refused verifications. */
async function payAll(pg: Provider): Promise<void> {
  const paid = await shop.buy(pg, cardOf('0041'));
  const declined = await shop.begin(pg);
  await pay(declined.payUrl, cardOf('0001'));
  await shop.cancel(paid.paymentId);
  await untilRefunded(paid.paymentId);
  const rejected: Begun = await shop.begin(pg);
  await pay(rejected.payUrl, cardOf('0050'));
  const name = `${shop.merchant}s3x`;
  await call(underTest.simulator, 'POST', '/__sim/merchants', { body: { pg, name, state: 'REVOKED' } });
  await send('PUT', pathOf(pg), known(pg, name));
  expect(await send('POST', `${pathOf(pg)}/verify`, {})).toBe('409 PAYMENT_PROVIDER_VERIFICATION_FAILED');
}

/** A secret as it is, in hexadecimal, URL-encoded, and in base64 at any offset, as in `Authorization: Basic`. */
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'.'.repeat(offset)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(Math.ceil((offset * 4) / 3), -1);
  });
  return [...new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), ...encoded])];
}
let forms: readonly string[];
const foundIn = (text: string): string[] => forms.filter((form) => text.includes(form));

let outcomes: Readonly<Record<string, readonly string[]>>;
beforeAll(async () => {
  shop = await PaidShop.open('PRIORITY_DISPLAY');
  for (const pg of PROVIDERS) known(pg, shop.merchant);
  outcomes = Object.fromEntries(await Promise.all(PROVIDERS.map(async (pg) => [pg, await storeAll(pg)] as const)));
  await Promise.all(PROVIDERS.map(payAll));
  // The secret of a notification is known by its content too.
  const webhook = createHash('sha256').update(`${shop.merchant}s1x`).digest('base64');
  forms = [...[...secrets].flatMap(formsOf), webhook];
  await until('the request log is written', async () => {
    const logged = await query(`SELECT 1 FROM api_request_log WHERE store_id = $1 AND path LIKE '%/verify'`, [shop.world.store.storeId]);
    return logged.length >= 4;
  });
}, 120_000);

describe('no secret of a provider', () => {
  test('is in an answer of the settings, whatever was sent', () => {
    expect(outcomes).toEqual({ tosspayments: OUTCOMES, portone: OUTCOMES });
    expect(secrets.size).toBeGreaterThanOrEqual(12);
    expect(foundIn(answers.join('\n'))).toEqual([]);
    expect(answers.join('\n')).toContain(`${shop.merchant}s1x`);
  });
  test('is in a log of the processes', () => {
    const logs = readdirSync(underTest.dataDir).filter((name) => name.endsWith('.log'));
    expect(logs).toEqual(expect.arrayContaining(['api.log', 'worker.log']));
    const texts = logs.map((name) => [name, readFileSync(join(underTest.dataDir, name), 'utf8')] as const);
    expect(texts.flatMap(([name, text]) => foundIn(text).map((form) => `${name}: ${form}`))).toEqual([]);
    expect(texts.some(([, text]) => text.includes(shop.world.store.storeId))).toBe(true);
  });
  test('is in a table of the database', async () => {
    const tables = await query<{ name: string }>(
      `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
       WHERE relkind IN ('r', 'm') AND nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema'`,
    );
    expect(tables.length).toBeGreaterThan(60);
    const holding = async (texts: readonly string[]) => {
      const names: string[] = [];
      for (const { name } of tables) {
        const found = await query(
          `SELECT 1 FROM ${name} AS one WHERE EXISTS (SELECT 1 FROM unnest($1::text[]) AS form WHERE strpos(one::text, form) > 0) LIMIT 1`,
          [texts],
        );
        if (found.length > 0) names.push(name);
      }
      return names;
    };
    expect(await holding(forms)).toEqual([]);
    // What is public is found where it is, so the search finds what there is; logs of requests and changes are among the tables.
    const visible = keysOf('tosspayments', `${shop.merchant}s1x`);
    expect(await holding(['clientKey' in visible ? visible.clientKey : ''])).toContain('public.payment_credential');
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/audit_request/),
        expect.stringMatching(/audit_domain/),
        expect.stringMatching(/api_request_log/),
      ]),
    );
  }, 120_000);
  test('is in Temporal', async () => {
    const { storeId } = shop.world.store;
    const { workflow } = await temporalClient();
    const runs: string[] = [];
    for await (const { workflowId, runId } of workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) {
      if (!workflowId.includes(storeId)) continue;
      const handle = workflow.getHandle(workflowId, runId);
      const [history, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
      expect([workflowId, foundIn([...textsOf(history), ...textsOf(raw)].join('\n'))]).toEqual([workflowId, []]);
      runs.push(workflowId);
    }
    expect(runs.filter((id) => id.startsWith('payment/')).length).toBeGreaterThanOrEqual(6);
  });
});
