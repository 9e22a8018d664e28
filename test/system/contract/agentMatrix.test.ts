/**
 * Every change of the management API × who sends it × real and dry: decision, status and record as the declaration says. The bodies and ids
 * are wrong, so that nothing happens: what is judged is what comes before.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import { policyOf } from '../../../api/declare/agents.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { PRODUCT } from '../../../api/products/subject.ts';
import { STORE } from '../../../api/stores/subject.ts';
import { changesBetween } from '../../../domain/audit/changes.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { callBare, mcpToken } from '../../kernel/mcp.ts';
import { query, underTest, world } from '../../kernel/world.ts';

/** AGENT_CHANGES=500 for the full count. */
const RANDOM_CHANGES = Number(process.env['AGENT_CHANGES'] ?? 50);
const SCOPES = [
  'product:rw',
  'category:rw',
  'order:rw',
  'claim:rw',
  'flow:rw',
  'webhook:rw',
  'store:rw',
  'customer:rw',
  'member:rw',
  'audit:r',
];
const CALLERS = ['person', 'plain token', 'app', 'agent token', 'agent header', 'MCP'] as const;
type CallerName = (typeof CALLERS)[number];
const isAgent = (name: CallerName) => name.startsWith('agent') || name === 'MCP';

let desk: Desk;
let headersOf: Readonly<Record<Exclude<CallerName, 'MCP'>, Headers_>>;
let mcp: string;
beforeAll(async () => {
  desk = await Desk.open(await world());
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
  const owner = await desk.person('owner');
  const issue = async (purpose: string): Promise<Headers_> => {
    const issued = await call(underTest.api, 'POST', '/v1/store/api-tokens', {
      body: { name: purpose, scopes: SCOPES, purpose },
      headers: owner,
    });
    return { authorization: `Bearer ${issued.body.data.token as string}` };
  };
  const [plain, agent] = [await issue('plain'), await issue('agent')];
  headersOf = {
    person: owner,
    'plain token': plain,
    app: { authorization: `Bearer ${desk.shop.seller.bearer}` },
    'agent token': agent,
    'agent header': { ...owner, 'x-svc-agent': 'matrix/1' },
  };
  ({ token: mcp } = await mcpToken(desk.shop, owner['authorization']!.replace('Bearer ', ''), 'owner', SCOPES.join(' ')));
});
afterAll(() => desk.close());

const changes = endpoints.filter(({ access, route }) => access === 'store' && !route.startsWith('GET '));

interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string;
}
/** A body with a field that no operation has, and ids that do not exist. */
async function send({ route }: Endpoint, name: CallerName, dryRun: boolean): Promise<Answered> {
  const [method = '', path = ''] = route.split(' ');
  const [url, body] = [path.replaceAll(/{\w+}/g, 'x'), { zz: 1 }];
  const answered = ({ meta, error }: Reply['body'], status: number) => ({ status, code: error?.code, requestId: meta.requestId });
  if (name === 'MCP') {
    const called = await callBare(mcp, 'api_call', { method, path: url, body, dryRun });
    const { structuredContent: envelope, isError } = called.body.result;
    expect([called.status, isError ?? false]).toEqual([200, !envelope.meta.isSuccess]);
    return answered(envelope, envelope.meta.status);
  }
  const headers = { ...headersOf[name], ...(dryRun && { 'x-svc-dry-run': '1' }) };
  const reply = await call(underTest.api, method, url, { body, headers });
  return answered(reply.body, reply.status);
}

/** The refusal that its declaration gives this caller; null: whatever the operation says of a wrong body and of ids that do not exist. */
function refusalOf(endpoint: Endpoint, name: CallerName, isDry: boolean): string | null {
  const isConsole = name === 'person' || name === 'agent header';
  const denied = isAgent(name) && policyOf(endpoint) === 'denied';
  if (isAgent(name) && endpoint.agentAccess === 'none') return isDry ? null : 'AGENT_OPERATION_DENIED';
  if (endpoint.console && !isConsole) return 'INSUFFICIENT_ROLE';
  return denied && !isDry ? 'AGENT_OPERATION_DENIED' : null;
}

/** Outcome and kind of actor. */
function recordOf(status: number, name: CallerName, isDry: boolean): readonly string[] {
  return [outcomeOf(status, isDry), actorOf(name)];
}
function outcomeOf(status: number, isDry: boolean): string {
  if (status >= 300) return status === 403 ? 'DENIED' : 'FAILED';
  return isDry ? 'DRY_RUN' : 'SUCCEEDED';
}
function actorOf(name: CallerName): string {
  if (isAgent(name)) return 'AGENT';
  return name === 'app' ? 'APP' : 'USER';
}
/** The latest hundred records: action, outcome and kind of actor, by their request. */
async function latestRecords(): Promise<ReadonlyMap<string, readonly string[][]>> {
  const { body } = await call(underTest.api, 'GET', '/v1/audit-logs?limit=100', { headers: headersOf.person });
  const records = new Map<string, string[][]>();
  for (const { requestId, action, outcome, actor } of body.data.items as Recorded[])
    records.set(requestId, [...(records.get(requestId) ?? []), [action, outcome, actor.type]]);
  return records;
}
interface Recorded {
  readonly requestId: string;
  readonly action: string;
  readonly outcome: string;
  readonly actor: { readonly type: string };
}

describe.each(changes.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  test('answers each caller as declared, and records it once', async () => {
    const expected = new Map<string, readonly unknown[]>();
    for (const name of CALLERS)
      for (const isDry of [false, true]) {
        const { status, code, requestId } = await send(endpoint, name, isDry);
        const refusal = refusalOf(endpoint, name, isDry);
        const who = [endpoint.id, name, isDry];
        if (refusal === null) expect([...who, code]).not.toEqual([...who, 'AGENT_OPERATION_DENIED']);
        else expect([...who, status, code]).toEqual([...who, 403, refusal]);
        expected.set(requestId, [...who, recordOf(status, name, isDry)]);
      }
    const seen = await latestRecords();
    for (const [requestId, [id, name, isDry, record]] of expected)
      expect([id, name, isDry, seen.get(requestId)]).toEqual([id, name, isDry, [[endpoint.id, ...(record as string[])]]]);
  });
});

test('random changes: the preview is what then differs', async () => {
  const { productId } = await desk.shop.product();
  const won = fc.integer({ min: 1, max: 900 }).map((n) => n * 10);
  const text = fc.string({ unit: fc.constantFrom('가', '나', '다', 'a', ' '), minLength: 1, maxLength: 12 }).map((s) => `가${s.trim()}`);
  const product = fc.record(
    {
      name: text,
      description: fc.option(text),
      salePrice: won.map((n) => n + 10_000),
      originalPrice: fc.option(won.map((n) => n + 30_000)),
      pointEarnRateBp: fc.option(fc.integer({ min: 0, max: 100 })),
      status: fc.constantFrom('ON_SALE', 'SUSPENDED'),
    },
    { requiredKeys: [] },
  );
  const store = fc.record(
    {
      autoConfirmDays: fc.integer({ min: 0, max: 30 }),
      autoDeliverDays: fc.integer({ min: 0, max: 30 }),
      termsVersion: fc.option(text),
      shippingPolicy: fc.record({ jejuSurcharge: won, freeThreshold: fc.option(won) }, { requiredKeys: [] }),
      refundPolicy: fc.record({ returnDeliveryFee: won, sellerFaultFreeShipping: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const requests = fc.oneof(
    product.map((body) => [`/v1/products/${productId}`, body] as const),
    store.map((body) => ['/v1/store', body] as const),
  );
  const headers = headersOf.person;
  const listingOf = (path: string) => (path === '/v1/store' ? STORE : PRODUCT).listing;
  const get = async (path: string) => (await call(underTest.api, 'GET', path, { headers })).body.data as object;
  /** What was shown after the last change, which nobody else changes. */
  const shown = new Map<string, object>();
  for (const [path, body] of fc.sample(requests, RANDOM_CHANGES)) {
    const before = shown.get(path) ?? (await get(path));
    const dry = await call(underTest.api, 'PATCH', path, { body, headers: { ...headers, 'x-svc-dry-run': '1' } });
    const real = await call(underTest.api, 'PATCH', path, { body, headers });
    expect([body, real.status < 300 ? 'DRY_RUN' : real.body.error?.code]).toEqual([body, dry.body.error?.code ?? dry.body.meta.code]);
    const after = await get(path);
    if (real.status < 300) expect(dry.body.data.preview.changes).toEqual(changesBetween(before, after, listingOf(path)));
    shown.set(path, after);
  }
}, 120_000);
