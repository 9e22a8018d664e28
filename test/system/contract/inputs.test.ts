/**
 * Odd input in every place of every operation, generated from the endpoint list: path, query, headers, each field of a body, the body
 * itself. Nothing is a 500 or undeclared, no refusal is large, and what is wrong is named.
 * FUZZ_INPUTS=20000 for the full count; a failure is shrunk and prints its seed.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { exampleOf } from '../../../api/documents/examples.ts';
import { errorsOf } from '../../../api/declare/errors.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { loginAs, people, storeToken } from '../../kernel/login.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

const CASES = Number(process.env['FUZZ_INPUTS'] ?? 600);

let shop: World;
let headersOf: Readonly<Record<string, Headers_>>;
/** Things that there are, by the parameter that names them; a client is not among them, ours would be switched off. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  shop = await world();
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const { productId, variantId } = await shop.product({ stockQuantity: 1_000_000 });
  const guest = await shop.buyer();
  const [{ orderId, orderItemId, paymentId }, receiver, { checkoutId }] = await Promise.all([
    shop.order({ productId }),
    shop.receiver(),
    guest.checkout(productId).then((reply) => reply.body.data as { checkoutId: string }),
  ]);
  ids = { productId, variantId, orderId, orderItemId, paymentId, checkoutId, webhookId: receiver.webhookId };
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  const code = { 'x-store-code': storeCode };
  headersOf = {
    store: bearer(shop.seller.bearer),
    console: bearer(await storeToken(`owner@${storeCode}.example`, storeId)),
    user: bearer((await loginAs(`owner@${storeCode}.example`)).user.access_token),
    buyer: guest.headers,
    customer: (await shop.member()).headers,
    shop: code,
    payment: code,
  };
});

/** Where something odd is put: a name for path, query and header; the way to a field of the body. */
interface InputPosition {
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly name: string;
  readonly way: readonly (string | number)[];
}
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}
function* ways(shape: Shape, way: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  yield way;
  for (const branch of shape.anyOf ?? []) yield* [...ways(branch, way)].filter((one) => one.length > way.length);
  for (const [name, field] of Object.entries(shape.properties ?? {})) yield* ways(field, [...way, name]);
  if (shape.items) yield* ways(shape.items, [...way, 0]);
}
const propertiesOf = (shape: Shape | undefined) => shape?.properties ?? {};
const HEADERS = [
  'idempotency-key',
  'if-match',
  'x-store-id',
  'x-svc-visitor',
  'x-svc-session',
  'traceparent',
  'accept-language',
  'x-cart-token',
];
const places = ({ route, query, body }: Endpoint): readonly InputPosition[] => [
  ...[...route.matchAll(/{(\w+)}/g)].map(([, name]) => ({ in: 'path' as const, name: name!, way: [] })),
  ...[...Object.keys(propertiesOf(query)), 'nobody-knows'].map((name) => ({
    in: 'query' as const,
    name,
    way: [],
  })),
  ...HEADERS.map((name) => ({ in: 'header' as const, name, way: [] })),
  ...(body ? [...ways(body as Shape), ['zz']] : []).map((way) => ({ in: 'body' as const, name: String(way[0] ?? ''), way })),
];

const cursor = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');
const TEXTS = [
  ['', ' ', 'x', '0', '-1', '1.0', '1e2', '1e999', '0x10', ' 5', '+5', 'NaN', 'Infinity', '9'.repeat(20), '2147483648', '9'.repeat(400)],
  [
    'null',
    'true',
    '[]',
    '{}',
    '__proto__',
    'constructor',
    "'",
    '"',
    '\\',
    '%',
    '%00',
    '%ZZ',
    '%ff',
    ';--',
    '$1',
    '?',
    '*',
    '..%2f',
    'a/b',
    '\u202e',
  ],
  ['\u0000', '\u0001', '\u007f', '\ud800', '\ufeff', '\n', '🙂', '가'.repeat(300), 'a'.repeat(64), 'a'.repeat(65), 'a'.repeat(3000), '٣'],
  ['2026-02-30', '1899-12-31', '9999-12-31', '0000-01-01', '1900-01-01', '9998-12-31', '2026-01-01', '+275760-09-13', '-000001-01-01'],
  [
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '1900-01-01T00:00:00+23:59',
    '9998-12-31T23:59:59.999999999-23:59',
    '2026-06-30T23:59:60Z',
  ],
  [
    '0001-01-01T00:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+99:99',
    'P',
    'P0D',
    'P9999W',
    'PT99999999S',
  ],
  [
    cursor(['o', 8e15, 'x']),
    cursor(['c', -8e15, 'x']),
    cursor(['o', 0, 'x']),
    cursor(['e', 9e15, '']),
    cursor([]),
    cursor({}),
    '====',
    'bnVsbA',
  ],
  [
    'https://a;b/',
    "https://a'b/",
    'https://a..b/',
    'javascript:alert(1)',
    'https://[::1',
    'https://a:99999/',
    'http://localhost:9/',
    'https://u:p@a/',
  ],
  ['"x"', 'W/"1"', '"1", "2"', '"999999999"', '00-00000000000000000000000000000000-0000000000000000-00', 'ko;q=9'],
].flat();
const oddText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 80 }),
);
const INFINITE = '@1e999@';
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const odd = fc.oneof(
  { weight: 4, arbitrary: oddText },
  fc.constantFrom<unknown>(null, true, false, -1, 0, 1.5, -0, 1e308, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 5e-324, INFINITE),
  fc.constantFrom<unknown>(
    [],
    {},
    [[]],
    [null],
    nested(30),
    Array.from({ length: 600 }, () => 'x'),
    Array.from({ length: 600 }, () => ({})),
    { __proto__: null, a: {} },
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(1, 'x', null), { maxKeys: 8 }),
);

/** What would be right, as far as an example tells; the clock stays where it is. */
function usual(endpoint: Endpoint): unknown {
  const { id, body } = endpoint;
  if (!body) return undefined;
  if (id === 'sandbox.advanceClock') return {};
  const request = structuredClone(exampleOf(endpoint).request ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(ids)) if (name in request) request[name] = value;
  if (Array.isArray(request['items'])) request['items'] = request['items'].map((item: object) => ({ ...item, ...known(item) }));
  return request;
}
const known = (item: object) => Object.fromEntries(Object.entries(ids).filter(([name]) => name in item));

function put(value: unknown, way: readonly (string | number)[], what: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined) return what;
  if (typeof step === 'number') return [put(Array.isArray(value) ? value[0] : undefined, rest, what)];
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...fields, [step]: put(fields[step], rest, what) };
}

interface Case {
  readonly position: InputPosition;
  readonly value: unknown;
  readonly text: string;
}
const caseOf = (endpoint: Endpoint): fc.Arbitrary<Case> => {
  const all = places(endpoint);
  // What an operation has of its own is tried more often than what all have.
  const own = all.filter((position) => position.in !== 'header' && position.name !== 'nobody-knows');
  return fc.record({
    position:
      own.length === 0 ? fc.constantFrom(...all) : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...own) }, fc.constantFrom(...all)),
    value: odd,
    text: oddText,
  });
};

async function send(endpoint: Endpoint, { position, value, text }: Case): Promise<Reply> {
  const [method = '', route = ''] = endpoint.route.split(' ');
  const path = route.replaceAll(/{(\w+)}/g, (_, name: string) =>
    // An empty step or a dot is another address.
    position.in === 'path' && position.name === name
      ? encodeURIComponent(/^\.*$/.test(text) ? 'x' : text.toWellFormed())
      : (ids[name] ?? 'x'),
  );
  const span = route.endsWith('/calendar') && method === 'GET' ? { from: '2026-01-01', to: '2026-01-02' } : {};
  const query = new URLSearchParams({ ...span, ...(position.in === 'query' && { [position.name]: text }) });
  const header = text.replaceAll(/[^\x20-\x7e]/g, '').trim();
  const headers = {
    ...headersOf[endpoint.console ? 'console' : endpoint.access],
    ...(position.in === 'header' && header !== '' && { [position.name]: header }),
  };
  const sent = position.in === 'body' ? put(usual(endpoint), position.way, value) : usual(endpoint);
  const url = `${path}?${query.toString()}`;
  if (endpoint.maxFileBytes === undefined) {
    const body = sent === undefined ? undefined : JSON.stringify(sent).replaceAll(`"${INFINITE}"`, '1e999');
    return call(underTest.api, method, url, { body, headers });
  }
  const form = new FormData();
  for (const [name, field] of Object.entries(Object(sent) as object))
    form.append(name, typeof field === 'string' ? field : JSON.stringify(field));
  form.append('file', new Blob(['no image']));
  const response = await fetch(underTest.api + url, { method, headers, body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
}

/** Whose handlers know what is wrong with a field: which times there are, and which password. */
const RULED = new Set(['sandbox.advanceClock', 'auth.withdraw']);

/** What is wrong with an answer; null when nothing is. */
function wrong(endpoint: Endpoint, { position }: Case, { status, body }: Reply): string | null {
  if (status < 300) return null;
  const { code = '', fieldErrors = [] } = body.error ?? {};
  if (status >= 500) return `is a ${status}`;
  if (!errorsOf(endpoint).some((declared) => declared === code)) return `is ${code}, which is not declared`;
  if (Buffer.byteLength(JSON.stringify(body)) > 65_536) return 'is larger than 64 kB';
  return code === 'VALIDATION_FAILED' ? wrongProblems(endpoint, position, fieldErrors) : null;
}
function wrongProblems(endpoint: Endpoint, position: InputPosition, problems: readonly { readonly field: string }[]): string | null {
  if (problems.length === 0 || problems.length > 100) return `tells ${problems.length} problems`;
  if (problems.some(({ field }) => field.length > 200)) return 'tells a field of more than 200 characters';
  // Rules between fields name another one, and an example is not right in every store, nor the proof of every member.
  const hasRules = endpoint.check !== undefined || endpoint.route.endsWith('/calendar') || RULED.has(endpoint.id);
  // A period that ends before it begins, or is too long, is wrong in its end (docs/contract.md#sales-report).
  const names = position.name === 'from' ? ['from', 'to'] : [position.name.toLowerCase()];
  const isNamed = problems.some(({ field }) => field === '' || names.some((name) => field.toLowerCase().startsWith(name)));
  return isNamed || position.in === 'body' || hasRules ? null : `does not name ${position.name}`;
}

/** Names that every object has: with the full count all of them for each parameter, else one, in turn. */
const NAMES = ['__proto__', 'constructor', 'toString'];
const namesFor = (turn: number) => (CASES > 1000 ? NAMES : [NAMES[turn % NAMES.length]!]);
describe.each(endpoints.map((endpoint, i) => [endpoint.id, endpoint, i] as const))('%s', (_, endpoint, turn) => {
  test('takes a name that every object has for a text like others', async () => {
    const own = places(endpoint).filter((position) => position.in === 'query' || position.in === 'path');
    for (const [i, parameter] of own.entries())
      for (const text of namesFor(turn + i)) {
        const reply = await send(endpoint, { position: parameter, value: undefined, text });
        expect([parameter, text, wrong(endpoint, { position: parameter, value: undefined, text }, reply)]).toEqual([parameter, text, null]);
      }
  });
  test('answers every odd input with what it declares', async () => {
    await fc.assert(
      fc.asyncProperty(caseOf(endpoint), async (one) => {
        const reply = await send(endpoint, one);
        expect([wrong(endpoint, one, reply), reply.body]).toEqual([null, reply.body]);
      }),
      { numRuns: Math.max(1, Math.ceil(CASES / endpoints.length)) },
    );
  }, 300_000);
});
