/** The wire of both providers: each call against an example of the provider's documentation, and every documented answer classified. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRefusal, firstAccepted } from '../../../../activities/providers/accepted.ts';
import type { ProviderAnswer } from '../../../../activities/providers/answers.ts';
import { root } from '../../../../bin/kernel/paths.ts';
import { CHARGES, type CallName, makeCall, providerServer, type Recorded, type Reply } from './server.ts';

interface Example {
  readonly title: string;
  readonly call: CallName;
  readonly replies: readonly Reply[];
  readonly requests: readonly Recorded[];
  readonly answer: unknown;
}
const examples = (name: string): Example[] =>
  JSON.parse(readFileSync(join(root, `test/units/payments/wire/${name}.json`), 'utf8')) as Example[];
const PROVIDERS = { tosspayments: examples('toss'), portone: examples('portone') } as const;
type Name = keyof typeof PROVIDERS;
const paymentOf = (name: Name) => PROVIDERS[name].find(({ call }) => call === 'read')!.replies[0]!.body as Record<string, unknown>;

let server: Awaited<ReturnType<typeof providerServer>>;
beforeAll(async () => {
  server = await providerServer();
});
afterAll(() => void server.close());
const answerTo = async (name: Name, call: CallName, ...replies: readonly Reply[]) =>
  (await server.exchange(name, replies, makeCall(call, CHARGES[name]))).answer as ProviderAnswer;

const ROWS = (Object.keys(PROVIDERS) as Name[]).flatMap((name) =>
  PROVIDERS[name].map((example) => [name, example.title, example] as const),
);
test.each(ROWS)('%s: %s', async (name, _, { call, replies, requests, answer }) => {
  const made = await server.exchange(name, replies, makeCall(call, CHARGES[name]));
  expect(made).toEqual({ requests, answer });
});

test('a confirm of PortOne has no txId where there is none; its keys have 16 characters and more', async () => {
  const charge = { ...CHARGES.portone, paymentKey: null };
  const { requests } = await server.exchange('portone', [{ status: 500, body: {} }], makeCall('confirm', charge));
  expect(requests[0]!.body).not.toHaveProperty('txId');
  const keys = PROVIDERS.portone.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []));
  for (const key of keys) expect(key).toMatch(/^"[\x21-\x7e]{16,256}"$/);
});

const ok = (name: Name, changes: object): Reply => ({ status: 200, body: { ...paymentOf(name), ...changes } });
const toss = (status: number, code: string): Reply => ({ status, body: { code, message: '사유' } });
const portone = (status: number, type: string, more: object = {}): Reply => ({ status, body: { type, message: '사유', ...more } });
const pg = (pgCode: string): Reply => portone(502, 'PG_PROVIDER', { pgCode, pgMessage: '거절' });
const DROPPED: Reply = { status: 0, body: null };
const CONFIRMED: Reply = { status: 200, body: { payment: { pgTxId: 'x', paidAt: '2026-11-22T03:31:00Z' } } };
const LIVE = { type: 'LIVE', key: 'channel-key-e6c31df1' };
type Row = readonly [Name, CallName, string, readonly Reply[], Partial<ProviderAnswer>];

const CONFIRMS: readonly Row[] = [
  [
    'tosspayments',
    'confirm',
    'a decline',
    [toss(403, 'REJECT_CARD_PAYMENT')],
    { result: 'DECLINED', code: 'REJECT_CARD_PAYMENT', message: '사유' },
  ],
  ['tosspayments', 'confirm', 'an unlisted 4xx', [toss(400, 'SOMETHING_NEW')], { result: 'DECLINED', code: 'SOMETHING_NEW' }],
  ['tosspayments', 'confirm', 'an ambiguous code', [toss(400, 'ALREADY_PROCESSED_PAYMENT')], { result: 'UNKNOWN', ended: true }],
  ['tosspayments', 'confirm', 'one that runs', [toss(409, 'IDEMPOTENT_REQUEST_PROCESSING')], { result: 'UNKNOWN', ended: false }],
  ['tosspayments', 'confirm', 'too many', [toss(429, 'TOO_MANY')], { result: 'UNKNOWN', ended: false }],
  [
    'tosspayments',
    'confirm',
    '500',
    [toss(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING')],
    { result: 'UNKNOWN', ended: true, isTechnical: true },
  ],
  [
    'tosspayments',
    'confirm',
    '401',
    [toss(401, 'UNAUTHORIZED_KEY')],
    { result: 'DECLINED', code: 'UNAUTHORIZED_KEY', isUnauthorized: true },
  ],
  [
    'tosspayments',
    'confirm',
    '403 about the key',
    [toss(403, 'FORBIDDEN_REQUEST')],
    { result: 'DECLINED', code: 'FORBIDDEN_REQUEST', isForbidden: true },
  ],
  ['tosspayments', 'confirm', 'no answer', [DROPPED], { result: 'UNKNOWN', code: 'CONNECTION', ended: false, isTechnical: true }],
  ['tosspayments', 'confirm', 'no JSON', [{ status: 502, body: '<html>' }], { result: 'UNKNOWN', code: 'HTTP_502', isTechnical: true }],
  ['tosspayments', 'confirm', 'another payment', [ok('tosspayments', { totalAmount: 1 })], { result: 'UNKNOWN', code: 'MISMATCH' }],
  ['tosspayments', 'confirm', 'no end', [ok('tosspayments', { status: 'IN_PROGRESS' })], { result: 'UNKNOWN', code: 'IN_PROGRESS' }],
  [
    'portone',
    'confirm',
    'a decline of the provider behind it',
    [pg('INVALID_STOPPED_CARD')],
    { result: 'DECLINED', code: 'INVALID_STOPPED_CARD', message: '거절' },
  ],
  ['portone', 'confirm', 'another code of it', [pg('4321')], { result: 'UNKNOWN', code: 'OTHER', ended: true, isTechnical: true }],
  [
    'portone',
    'confirm',
    'a token that is used up',
    [portone(400, 'INVALID_PAYMENT_TOKEN')],
    { result: 'DECLINED', code: 'INVALID_PAYMENT_TOKEN' },
  ],
  ['portone', 'confirm', 'other facts', [portone(409, 'INFORMATION_MISMATCH')], { result: 'DECLINED', code: 'INFORMATION_MISMATCH' }],
  ['portone', 'confirm', 'paid already', [portone(409, 'ALREADY_PAID')], { result: 'UNKNOWN', ended: true }],
  ['portone', 'confirm', 'one that runs', [portone(409, 'IDEMPOTENCY_OUTSTANDING_REQUEST')], { result: 'UNKNOWN', ended: false }],
  ['portone', 'confirm', '500', [portone(500, 'INTERNAL_SERVER_ERROR')], { result: 'UNKNOWN', isTechnical: true }],
  ['portone', 'confirm', '401', [portone(401, 'UNAUTHORIZED')], { result: 'DECLINED', code: 'UNAUTHORIZED', isUnauthorized: true }],
  ['portone', 'confirm', '403', [portone(403, 'FORBIDDEN')], { result: 'DECLINED', code: 'FORBIDDEN', isForbidden: true }],
  ['portone', 'confirm', '403 without JSON', [{ status: 403, body: '<html>' }], { result: 'UNKNOWN', code: 'HTTP_403' }],
  ['portone', 'confirm', 'confirmed, and no reading', [CONFIRMED, DROPPED], { result: 'UNKNOWN', ended: true }],
  [
    'portone',
    'confirm',
    'confirmed, not paid yet',
    [CONFIRMED, ok('portone', { status: 'READY' })],
    { result: 'UNKNOWN', code: 'READY', ended: true },
  ],
  [
    'portone',
    'confirm',
    'confirmed for another amount',
    [CONFIRMED, ok('portone', { amount: { total: 1 } })],
    { result: 'UNKNOWN', code: 'MISMATCH' },
  ],
  [
    'portone',
    'confirm',
    'confirmed in the other environment',
    [CONFIRMED, ok('portone', { channel: { type: 'LIVE' } })],
    { result: 'WRONG_ENVIRONMENT' },
  ],
  [
    'portone',
    'confirm',
    'refused, in the other environment',
    [portone(409, 'INFORMATION_MISMATCH'), ok('portone', { status: 'READY', channel: LIVE })],
    { result: 'DECLINED', code: 'ENVIRONMENT_MISMATCH', isOwnChannel: true, message: '사유' },
  ],
  [
    'portone',
    'confirm',
    'a card declined, in the other environment',
    [pg('INVALID_STOPPED_CARD'), ok('portone', { status: 'FAILED', channel: { type: 'LIVE', key: 'channel-key-other' } })],
    { result: 'DECLINED', code: 'ENVIRONMENT_MISMATCH', message: '거절' },
  ],
  [
    'portone',
    'confirm',
    'refused, and charged in the other environment',
    [portone(409, 'INFORMATION_MISMATCH'), ok('portone', { channel: LIVE })],
    { result: 'WRONG_ENVIRONMENT', isOwnChannel: true },
  ],
  [
    'portone',
    'confirm',
    'refused, in the environment of the attempt',
    [portone(409, 'INFORMATION_MISMATCH'), ok('portone', { status: 'READY' })],
    { result: 'DECLINED', code: 'INFORMATION_MISMATCH' },
  ],
];
const READS: readonly Row[] = [
  ...(['tosspayments', 'portone'] as const).flatMap((name): Row[] => [
    [name, 'read', '401', [{ status: 401, body: {} }], { result: 'UNKNOWN', isUnauthorized: true }],
    [name, 'read', '403', [{ status: 403, body: {} }], { result: 'UNKNOWN', isUnauthorized: true }],
    [name, 'read', '404', [{ status: 404, body: {} }], { result: 'UNPAID', code: 'NOT_FOUND', isNotFound: true }],
    [name, 'read', '500', [{ status: 500, body: {} }], { result: 'UNKNOWN', code: 'HTTP_500', isTechnical: true }],
    [name, 'read', 'no answer', [DROPPED], { result: 'UNKNOWN', isTechnical: true }],
    [name, 'read', 'READY', [ok(name, { status: 'READY' })], { result: 'UNPAID', code: 'READY' }],
    [name, 'read', 'a status of another kind', [ok(name, { status: 'card 4111' })], { result: 'UNKNOWN', code: 'OTHER' }],
    [name, 'void', '401', [{ status: 401, body: {} }], { result: 'UNKNOWN', isUnauthorized: true }],
    [name, 'void', '404', [{ status: 404, body: {} }], { result: 'UNKNOWN', isNotFound: true }],
    [name, 'findRefund', 'nothing of it', [ok(name, {})], { result: 'ABSENT' }],
    [name, 'findRefund', '401', [{ status: 401, body: {} }], { result: 'UNKNOWN', isUnauthorized: true }],
    [name, 'findRefund', '404', [{ status: 404, body: {} }], { result: 'UNKNOWN', isNotFound: true }],
  ]),
  [
    'tosspayments',
    'read',
    'ABORTED',
    [ok('tosspayments', { status: 'ABORTED', failure: { code: 'FDS_ERROR', message: '위험' } })],
    { result: 'DECLINED', code: 'FDS_ERROR', message: '위험' },
  ],
  ['tosspayments', 'read', 'CANCELED', [ok('tosspayments', { status: 'CANCELED' })], { result: 'VOIDED' }],
  [
    'portone',
    'read',
    'FAILED',
    [ok('portone', { status: 'FAILED', failure: { pgCode: 'FDS_ERROR', pgMessage: '위험' } })],
    { result: 'DECLINED', code: 'FDS_ERROR', message: '위험' },
  ],
  ['portone', 'read', 'FAILED without a code', [ok('portone', { status: 'FAILED' })], { result: 'DECLINED', code: 'FAILED' }],
  ['portone', 'read', 'CANCELLED', [ok('portone', { status: 'CANCELLED' })], { result: 'VOIDED' }],
  ['portone', 'read', 'PAY_PENDING', [ok('portone', { status: 'PAY_PENDING' })], { result: 'UNKNOWN', code: 'PAY_PENDING' }],
  ['portone', 'read', 'PENDING', [ok('portone', { status: 'PENDING' })], { result: 'UNKNOWN', code: 'PENDING' }],
  [
    'portone',
    'read',
    'the other environment, with our channel',
    [ok('portone', { channel: { type: 'LIVE', key: 'channel-key-e6c31df1' } })],
    { result: 'WRONG_ENVIRONMENT', code: 'ENVIRONMENT_MISMATCH', isOwnChannel: true },
  ],
  [
    'portone',
    'read',
    'the other environment, with another channel',
    [ok('portone', { channel: { type: 'LIVE', key: 'channel-key-other' } })],
    { result: 'WRONG_ENVIRONMENT', code: 'ENVIRONMENT_MISMATCH' },
  ],
  ...(['FAILED', 'CANCELLED', 'READY'] as const).map((status): Row => {
    const result = ({ FAILED: 'DECLINED', CANCELLED: 'VOIDED', READY: 'UNPAID' } as const)[status];
    const wrong = { result, code: 'ENVIRONMENT_MISMATCH', isOwnChannel: true } as const;
    return ['portone', 'read', `${status} in the other environment`, [ok('portone', { status, channel: LIVE })], wrong];
  }),
  ['portone', 'read', 'another id', [ok('portone', { id: 'x' })], { result: 'FOREIGN' }],
  ['portone', 'read', 'another store', [ok('portone', { storeId: 'store-x' })], { result: 'FOREIGN' }],
  ['portone', 'read', 'another currency', [ok('portone', { currency: 'USD' })], { result: 'FOREIGN' }],
];
const entry = (status: string, reason: string, amount = 5000) => ({ status, reason, totalAmount: amount });
const ours = '환불 [rfd_06Nhb4n3Xq5kQw7yZ0EfGh]';
const voiding = '[void-att_06Nhb4n3Xq5kQw7yZ0AbCd]';
const canceled = (status: string): Reply => ({ status: 200, body: { cancellation: entry(status, ours) } });
const CANCELS: readonly Row[] = [
  [
    'tosspayments',
    'refund',
    'a refusal',
    [toss(403, 'NOT_CANCELABLE_PAYMENT')],
    { result: 'REFUSED', code: 'NOT_CANCELABLE_PAYMENT', message: '사유' },
  ],
  ['tosspayments', 'refund', '500', [toss(500, 'FAILED_METHOD_HANDLING_CANCEL')], { result: 'UNKNOWN', ended: true }],
  ['tosspayments', 'refund', '401', [toss(401, 'UNAUTHORIZED_KEY')], { result: 'UNKNOWN', isUnauthorized: true }],
  [
    'tosspayments',
    'findRefund',
    'refused later',
    [ok('tosspayments', { cancels: [{ cancelReason: ours, cancelAmount: 5000, cancelStatus: 'ABORTED' }] })],
    { result: 'REFUSED', code: 'CANCEL_FAILED' },
  ],
  [
    'tosspayments',
    'read',
    'a cancel at the console',
    [ok('tosspayments', { status: 'PARTIAL_CANCELED', cancels: [{ cancelReason: '단순 변심', cancelAmount: 1 }] })],
    { result: 'UNKNOWN', isForeignCancel: true },
  ],
  [
    'tosspayments',
    'void',
    'carried out later',
    [ok('tosspayments', { cancels: [{ cancelReason: voiding, cancelAmount: 15_000, cancelStatus: 'IN_PROGRESS' }] })],
    { result: 'UNKNOWN' },
  ],
  ['tosspayments', 'void', 'done before', [toss(400, 'ALREADY_CANCELED_PAYMENT')], { result: 'VOIDED' }],
  ['portone', 'refund', 'failed at once', [ok('portone', {}), canceled('FAILED')], { result: 'REFUSED', code: 'CANCEL_FAILED' }],
  [
    'portone',
    'refund',
    'a refusal behind it',
    [ok('portone', {}), pg('NOT_CANCELABLE_PAYMENT')],
    { result: 'REFUSED', code: 'NOT_CANCELABLE_PAYMENT', message: '거절' },
  ],
  ['portone', 'refund', 'an error behind it', [ok('portone', {}), pg('FAILED_METHOD_HANDLING_CANCEL')], { result: 'UNKNOWN', ended: true }],
  ['portone', 'refund', 'canceled before', [ok('portone', {}), portone(409, 'PAYMENT_ALREADY_CANCELLED')], { result: 'REFUSED' }],
  [
    'portone',
    'refund',
    'another balance',
    [ok('portone', {}), portone(409, 'CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN')],
    { result: 'UNKNOWN', ended: true },
  ],
  ['portone', 'refund', '401 at the reading', [portone(401, 'UNAUTHORIZED')], { result: 'UNKNOWN', isUnauthorized: true }],
  [
    'portone',
    'refund',
    '401 at the cancel',
    [ok('portone', {}), portone(401, 'UNAUTHORIZED')],
    { result: 'UNKNOWN', isUnauthorized: true },
  ],
  ['portone', 'refund', 'not sent', [DROPPED], { result: 'UNKNOWN', ended: false }],
  ['portone', 'refund', 'another payment', [ok('portone', { amount: { total: 1 } })], { result: 'FOREIGN' }],
  [
    'portone',
    'findRefund',
    'refused later',
    [ok('portone', { cancellations: [entry('FAILED', ours)] })],
    { result: 'REFUSED', code: 'CANCEL_FAILED' },
  ],
  [
    'portone',
    'findRefund',
    'requested again after a refusal',
    [ok('portone', { cancellations: [entry('FAILED', ours), entry('REQUESTED', ours)] })],
    { result: 'UNKNOWN', code: 'CANCEL_REQUESTED' },
  ],
  [
    'portone',
    'findRefund',
    'of another amount',
    [ok('portone', { cancellations: [entry('SUCCEEDED', ours, 4000)] })],
    { result: 'ABSENT' },
  ],
  ['portone', 'read', 'our own cancels', [ok('portone', { cancellations: [entry('SUCCEEDED', ours)] })], { result: 'APPROVED' }],
  [
    'portone',
    'read',
    'a cancel at the console',
    [ok('portone', { status: 'CANCELLED', cancellations: [entry('SUCCEEDED', '단순 변심')] })],
    { result: 'VOIDED', isForeignCancel: true },
  ],
  [
    'portone',
    'read',
    'our void, carried out later',
    [ok('portone', { cancellations: [entry('REQUESTED', voiding)] })],
    { result: 'UNKNOWN', code: 'CANCEL_REQUESTED' },
  ],
  [
    'portone',
    'void',
    'carried out later',
    [{ status: 200, body: { cancellation: entry('REQUESTED', voiding) } }],
    { result: 'UNKNOWN', code: 'REQUESTED' },
  ],
  ['portone', 'void', 'done before', [portone(409, 'PAYMENT_ALREADY_CANCELLED')], { result: 'VOIDED' }],
];
const FLAGS = ['isUnauthorized', 'isForbidden', 'isTechnical', 'isNotFound', 'isForeignCancel', 'isOwnChannel'] as const;
describe.each([
  ['confirms', CONFIRMS],
  ['readings', READS],
  ['cancels', CANCELS],
])('%s', (_, rows) => {
  test.each(rows)('%s %s: %s', async (name, call, _title, replies, expected) => {
    const answer = await answerTo(name, call, ...replies);
    expect(answer).toMatchObject(expected);
    // Readings and confirms count for circuits, cancels do not: their flag is free.
    const free = new Set(call === 'refund' || call === 'void' ? ['isTechnical'] : []);
    const flags = (one: Partial<ProviderAnswer>) => FLAGS.filter((flag) => one[flag] && !free.has(flag));
    if (call !== 'confirm' || expected.code !== undefined || expected.isTechnical) expect(flags(answer)).toEqual(flags(expected));
  });
});

describe.each(['tosspayments', 'portone'] as const)('the check of credentials at %s', (name) => {
  const verify = (reply: Reply) => answerTo(name, 'verify', reply) as unknown as Promise<string>;
  test.each([
    ['401', { status: 401, body: {} }, 'UNAUTHORIZED'],
    ['403', { status: 403, body: {} }, 'UNAUTHORIZED'],
    ['a 404 of somebody else', { status: 404, body: { message: 'no route' } }, 'UNAVAILABLE'],
    ['a 404 without JSON', { status: 404, body: '<html>' }, 'UNAVAILABLE'],
    ['500', { status: 500, body: {} }, 'UNAVAILABLE'],
    ['a payment', { status: 200, body: {} }, 'UNAVAILABLE'],
    ['no answer', DROPPED, 'UNAVAILABLE'],
  ])('%s', async (_, reply, expected) => expect(await verify(reply)).toBe(expected));
  test('gives up at its limit', async () => {
    const late = { status: 404, body: {}, afterMs: 300 };
    const { answer } = await server.exchange(name, [late], (provider) => provider.verify(50));
    expect(answer).toBe('UNAVAILABLE');
  });
  test('a confirm ends at the limit that it is given', async () => {
    const late = { status: 500, body: {}, afterMs: 300 };
    const { answer } = await server.exchange(name, [late], (provider) => provider.confirm(CHARGES[name], AbortSignal.timeout(50)));
    expect(answer).toMatchObject({ result: 'UNKNOWN', code: 'TIMEOUT', ended: false });
  });
});

describe.each(['tosspayments', 'portone'] as const)('a confirm at %s that was answered with 403', (name) => {
  const forbidden = { status: 403, body: { code: 'FORBIDDEN_REQUEST', type: 'FORBIDDEN', message: '사유' } };
  const missing = { status: 404, body: { code: 'NOT_FOUND_PAYMENT', type: 'PAYMENT_NOT_FOUND' } };
  test.each([
    ['the set is refused, too', { status: 401, body: {} }, 3000, { result: 'DECLINED', isUnauthorized: true }],
    ['the set is accepted', missing, 3000, { result: 'DECLINED' }],
    ['nothing clear is said of the set', { status: 500, body: {} }, 3000, { result: 'UNKNOWN' }],
    ['there is no time for the check', missing, 0.5, { result: 'UNKNOWN' }],
  ])('where %s', async (_, check, limitMs, expected) => {
    const { answer } = await server.exchange(name, [forbidden, check], async (provider) =>
      checkRefusal(provider, await provider.confirm(CHARGES[name]), limitMs),
    );
    expect(answer).toMatchObject(expected);
    expect(answer.isUnauthorized).toBe('isUnauthorized' in expected ? true : undefined);
  });
});

describe('the set that stands in for one that is not known', () => {
  test.each([
    ['proves nothing by "not found"', true, { result: 'UNAUTHORIZED' }],
    ['… which the own set does', false, { result: 'UNPAID', isNotFound: true }],
  ])('%s', async (_, isOwnSetUnknown, expected) => {
    const { answer } = await server.exchange('tosspayments', [{ status: 404, body: {} }], (provider) =>
      firstAccepted([provider], (each) => each.read(CHARGES.tosspayments), { isOwnSetUnknown }),
    );
    expect(answer).toMatchObject(expected);
  });
});
