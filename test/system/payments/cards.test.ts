/** Every card of the simulator has the same consequences at both providers (docs/contract.md#failures). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  attemptsOf,
  cardOf,
  chargesOf,
  moneyProblems,
  PaidShop,
  payOnce,
  PROVIDERS,
  type Provider,
  refundsOf,
  untilRefunded,
} from './shop.ts';

interface Outcome {
  readonly status: string;
  readonly result: string;
  readonly category: string | null;
  readonly optionUnavailable: boolean | null;
}
type Outcomes = Readonly<Record<string, Outcome>>;
const COMPLETED: Outcome = { status: 'completed', result: 'COMPLETED', category: null, optionUnavailable: null };
const failed = (category: string, optionUnavailable = false): Outcome => ({
  status: 'pending',
  result: 'FAILED',
  category,
  optionUnavailable,
});

const AT_ONCE: Outcomes = {
  '0000': COMPLETED,
  '0001': failed('LIMIT_OR_BALANCE'),
  '0002': failed('INVALID_INSTRUMENT'),
  '0003': failed('RISK_BLOCKED'),
  '0010': { ...failed('BUYER_CANCELED'), result: 'CANCELED' },
  '0041': COMPLETED,
  '0060': failed('METHOD_UNAVAILABLE', true),
};
/** Their approval has an unknown outcome, which readings tell; "not charged" takes three of them. */
const READ: Outcomes = { '0020': COMPLETED, '0030': failed('PROVIDER_UNAVAILABLE'), '0031': COMPLETED };
/** The provider refuses the keys, and is routed no longer. */
const LAST: Outcomes = { '0050': failed('CONFIGURATION', true) };

let shop: PaidShop;
const paid: { readonly pg: Provider; readonly ending: string; readonly paymentId: string }[] = [];
// Neither provider takes a payment over from the other.
beforeAll(async () => {
  shop = await PaidShop.open('PRIORITY_DISPLAY');
});

/** The outcomes of these cards at a provider, all paid at the same time. */
async function outcomesAt(pg: Provider, endings: readonly string[]): Promise<Outcomes> {
  const begun = await Promise.all(endings.map(async (ending) => ({ ending, pg, ...(await shop.begin(pg)) })));
  paid.push(...begun);
  const ids = begun.map(({ paymentId }) => paymentId);
  await Promise.all(begun.map(({ payUrl, ending }) => payOnce(payUrl, cardOf(ending))));
  await shop.resolve(ids);
  return Object.fromEntries(
    await Promise.all(
      begun.map(async ({ ending, buyer, paymentId }) => {
        const { status, result, lastFailure } = (await buyer.status(paymentId)).body.data;
        const { category = null, optionUnavailable = null } = lastFailure ?? {};
        return [ending, { status, result, category, optionUnavailable }] as const;
      }),
    ),
  );
}
const outcomesOf = async (expected: Outcomes) => {
  const [tosspayments, portone] = await Promise.all(PROVIDERS.map((pg) => outcomesAt(pg, Object.keys(expected))));
  return { tosspayments, portone };
};

describe('each card ends alike at both providers', () => {
  test('at once', async () => {
    expect(await outcomesOf(AT_ONCE)).toEqual({ tosspayments: AT_ONCE, portone: AT_ONCE });
  });
  test('where its outcome is unknown at first', async () => {
    expect(await outcomesOf(READ)).toEqual({ tosspayments: READ, portone: READ });
  }, 120_000);
  test('0041, whose cancel is asynchronous, is refunded once', async () => {
    const asynchronous = paid.filter(({ ending }) => ending === '0041');
    await Promise.all(
      asynchronous.map(async ({ paymentId }) => {
        await shop.cancel(paymentId);
        await untilRefunded(paymentId);
        expect(await refundsOf(paymentId)).toEqual([{ status: 'DONE' }]);
      }),
    );
    const charges = await chargesOf(await attemptsOf(asynchronous.map(({ paymentId }) => paymentId)));
    expect(charges.map(({ pg, status }) => `${pg} ${status}`).toSorted()).toEqual(['portone CANCELLED', 'tosspayments CANCELED']);
  });
  test('where the keys are refused, which takes the provider out', async () => {
    expect(await outcomesOf(LAST)).toEqual({ tosspayments: LAST, portone: LAST });
    for (const pg of PROVIDERS) expect(await shop.exclusionOf(pg)).toBe('CREDENTIALS_REJECTED');
  });
  test('and charges what is completed, nothing else', async () => {
    expect(await moneyProblems(paid.map(({ paymentId }) => paymentId))).toEqual([]);
  });
});
