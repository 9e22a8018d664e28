/**
 * Generated from the endpoint list and the documents: a request that the document allows is refused for no shape, and one that it does
 * not allow is refused by the name of the field. What is left between the two are rules between fields, listed here.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { exampleOf } from '../../../api/documents/examples.ts';
import { openapi, surfaceOf } from '../../../api/documents/openapi.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { loginAs, storeToken } from '../../kernel/login.ts';
import { underTest, type World, world, seedMembers } from '../../kernel/world.ts';
import { arbitrary, type Schema } from './arbitrary.ts';

const RUNS = Number(process.env['SHAPE_RUNS'] ?? 3);
const SEED = Number(process.env['SHAPE_SEED'] ?? 7);

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
/** Its references name the document, so that its components are read once, not with each schema that is compiled. */
function documentOf(surface: 'store' | 'storefront'): Document {
  const text = JSON.stringify(openapi(surface, endpoints)).replaceAll('"#/components/', `"${surface}#/components/`);
  const document = JSON.parse(text) as Document;
  ajv.addSchema({ $id: surface, components: document.components });
  return document;
}
const documents = { store: documentOf('store'), storefront: documentOf('storefront') };

/** Fields whose right value depends on another field, or on what there is at the time. */
const RULES: Readonly<Record<string, RegExp>> = {
  'analytics.overview': /^to$/,
  'analytics.products': /^to$/,
  'analytics.sources': /^to$/,
  'apiRequestLogs.list': /^cursor$/,
  'auditLogs.list': /^cursor$/,
  // Which of the two depends on the member.
  'auth.withdraw': /^(password|confirmation)$/,
  'cart.add': /^stay/,
  'claims.hold': /^until$/,
  'checkout.create': /^items\[\d+\]\.stay/,
  // Each kind of event has its own fields.
  'flows.simulate': /^(steps\[\d+\]|context\.item\.stay)/,
  'orders.hold': /^expectedDispatchDate$/,
  'orders.list': /^cursor$/,
  'paymentSettings.changeProvider': /^methods\[\d+\]$/,
  'paymentSettings.replace': /^paymentDomains\[\d+\]$/,
  'payments.list': /^to$/,
  // A reason is counted without the blanks around it; a cursor names an entry.
  'points.adjust': /^(amount|reason|expiresAt|Idempotency-Key)$/,
  'points.listCustomerHistory': /^cursor$/,
  'points.listHistory': /^cursor$/,
  'points.listMine': /^cursor$/,
  'payments.start': /^(guest|option|returnUrl)$/,
  'products.create': /^(variants|optionGroups|images)/,
  'products.patch': /^(variants|optionGroups|images)/,
  'products.readCalendar': /^to$/,
  'products.replace': /^(variants|optionGroups|images)/,
  'products.replaceOptions': /^(variants|optionGroups)/,
  'products.setDiscount': /^(endDate|value)$/,
  'products.writeCalendar': /^to$/,
  'salesReport.get': /^to$/,
  'sandbox.advanceClock': /^(to|advance)$/,
  'storefront.getCalendar': /^to$/,
  'visits.collect': /^events\[\d+\]\.productId$/,
  // Addresses are looked up.
  'webhooks.create': /^url$/,
  'webhooks.replace': /^url$/,
};
/** Page and size together. */
const isRule = (id: string, field: string) => field === 'page' || (RULES[id]?.test(field) ?? false);

let shop: World;
/** Whose pages may be of any origin: nobody changes its settings. */
let untouched: World;
let owner: Headers_;
beforeAll(async () => {
  [shop, untouched] = [await world(), await world()];
  const email = `owner@${shop.store.storeCode}.example`;
  await seedMembers(shop.store.storeId, [{ role: 'OWNER', email }]);
  owner = { authorization: `Bearer ${await storeToken(email, shop.store.storeId)}` };
});
const asWhom: Readonly<Record<Endpoint['access'], () => Promise<Headers_> | Headers_>> = {
  store: () => owner,
  user: async () => ({ authorization: `Bearer ${(await loginAs('somebody@example.com')).user.access_token}` }),
  buyer: async () => (await shop.buyer()).headers,
  customer: async () => (await shop.member()).headers,
  storefront: () => ({ 'x-store-code': untouched.store.storeCode, 'x-svc-visitor': 'v', 'x-svc-session': 's' }),
  payment: () => ({}),
};

const known = new Map<Endpoint['access'], Promise<Headers_> | Headers_>();
/** One caller of each kind for all operations; those under `auth.` may end a session or a membership, so each has its own. */
function callerOf({ id, access }: Endpoint): Promise<Headers_> | Headers_ {
  if (id.startsWith('auth.')) return asWhom[access]();
  const headers = known.get(access) ?? asWhom[access]();
  known.set(access, headers);
  return headers;
}

interface Shown {
  readonly endpoint: Endpoint;
  readonly body: Schema | null;
  readonly query: Operation['parameters'];
  readonly schemas: Document['components']['schemas'];
}
const shown = endpoints
  // Without a payment that there is, nothing is looked at; files are bytes.
  .filter(({ access, maxFileBytes }) => access !== 'payment' && maxFileBytes === undefined)
  .map((endpoint): Shown => {
    const [method = '', path = ''] = endpoint.route.split(' ');
    const { paths, components } = documents[surfaceOf(endpoint)];
    const { parameters, requestBody } = paths[path]![method.toLowerCase()]!;
    const body = requestBody?.content['application/json']?.schema ?? null;
    return { endpoint, body, query: parameters.filter((one) => one.in === 'query'), schemas: components.schemas };
  });
const fits = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value);

async function send({ endpoint }: Shown, headers: Headers_, query: Readonly<Record<string, unknown>>, body: unknown): Promise<Reply> {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const search = String(new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])));
  return call(underTest.api, method, `${path.replaceAll(/{(\w+)}/g, 'x')}?${search}`, { headers, ...(method !== 'GET' && { body }) });
}
/** The fields that a refusal names, whatever its code; a parameter with a code of its own by its name. */
const named = ({ body: { error } }: Reply): string[] =>
  error?.fieldErrors?.map(({ field }) => field) ?? [(error?.details?.['parameter'] as string | undefined) ?? String(error?.code)];
/** The field, or what is wrong within it. */
const names = (reply: Reply, field: string): boolean =>
  named(reply).some((one) => one === field || one.startsWith(`${field}.`) || one.startsWith(`${field}[`));
const SHAPES: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'INVALID_PARAMETER', 'INVALID_PRICE_UNIT']);

const querySchema = (query: Shown['query']): Schema => ({
  type: 'object',
  properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
  required: query.filter(({ required }) => required).map(({ name }) => name),
});

describe.each(shown.map((one) => [one.endpoint.id, one] as const))('%s', (id, one) => {
  test('what the document allows is refused for no shape', async () => {
    const headers = await callerOf(one.endpoint);
    const bodies = fc.sample(arbitrary(one.body ?? { type: 'object' }, one.schemas), { numRuns: RUNS, seed: SEED });
    const queries = fc.sample(arbitrary(querySchema(one.query), one.schemas), { numRuns: RUNS, seed: SEED });
    for (const [i, body] of bodies.entries()) {
      if (one.body) expect([id, body, fits(one.body, body), ajv.errorsText()]).toEqual([id, body, true, 'No errors']);
      const reply = await send(one, headers, queries[i] as Record<string, unknown>, one.body ? body : undefined);
      expect([id, reply.status < 500]).toEqual([id, true]);
      if (!SHAPES.has(String(reply.body.error?.code))) continue;
      const strays = named(reply).filter((field) => !isRule(id, field));
      expect({ id, body, query: queries[i], strays, error: strays.length > 0 ? reply.body.error : null }).toMatchObject({ strays: [] });
    }
  });

  test('what the document does not allow is refused by the name of the field', async () => {
    const headers = await callerOf(one.endpoint);
    const first = (exampleOf(one.endpoint).request ?? {}) as Record<string, unknown>;
    const ok = Object.fromEntries(one.query.filter(({ required }) => required).map(({ name }) => [name, '2030-01-01']));
    for (const wrong of one.body ? violations(resolve(one, one.body), one) : [])
      expect([id, await unnamed(wrong, (change) => send(one, headers, ok, { ...first, ...change }))]).toEqual([id, []]);
    for (const text of ['', '§', '\u0001', 'x'.repeat(301), '-1', '99999999999999999999']) {
      const wrong = one.query.filter(
        ({ schema }) => !fits(schema, schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text),
      );
      const texts = Object.fromEntries(wrong.map(({ name }) => [name, text]));
      expect([id, await unnamed(texts, (change) => send(one, headers, { ...ok, ...change }, undefined))]).toEqual([id, []]);
    }
  });
});

type Change = Readonly<Record<string, unknown>>;
/**
 * The changes that are not refused by the name of their field. All problems are told at once, so that all fields are wrong in one request;
 * a field that its refusal does not name, because what is wrong beside it comes first, is sent by itself.
 */
async function unnamed(wrong: Change, request: (change: Change) => Promise<Reply>): Promise<readonly Change[]> {
  if (Object.keys(wrong).length === 0) return [];
  const isNamed = (reply: Reply, field: string) => reply.status === 400 && names(reply, field);
  const together = await request(wrong);
  const found: Change[] = [];
  for (const [field, value] of Object.entries(wrong).filter(([name]) => !isNamed(together, name)))
    if (!isNamed(await request({ [field]: value }), field)) found.push({ [field]: value });
  return found;
}

const resolve = ({ schemas }: Shown, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!;

/** What each changes of a good body, which is good no more: every field has a value that is wrong in each of these ways, or is missing. */
function violations(schema: Schema, one: Shown): Change[] {
  const properties = Object.entries(schema.properties ?? {}).map(([field, inner]) => [field, resolve(one, inner), inner] as const);
  const ways: ((bounds: Schema) => unknown)[] = [
    () => '§',
    () => '',
    () => '\u0001',
    ({ maxLength = 0 }) => 'x'.repeat(maxLength + 1),
    ({ minimum = 0 }) => minimum - 1,
    ({ maximum = 0 }) => maximum + 1,
    () => 1.5,
    () => true,
    () => [],
    () => ({ zz: 1 }),
    ({ maxItems = 0 }) => Array.from({ length: maxItems + 1 }, () => 'x'),
  ];
  const fields = ways.map((way) => {
    const values = properties.map(([field, bounds, inner]) => [field, way(bounds), inner] as const);
    // A value that fits the field but not what stands beside it is another rule.
    return Object.fromEntries(values.filter(([, value, inner]) => !fits(inner, value)).map(([field, value]) => [field, value]));
  });
  const missing = Object.fromEntries((schema.required ?? []).map((field) => [field, undefined]));
  return [...fields, missing, { zz: 1 }];
}
