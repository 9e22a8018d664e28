/**
 * What a preview names is what the claim expects, what a dry run of the approval says, and what the approval gives back: for generated
 * orders and whatever leaves them, one claim after the other (docs/contract.md#claims). CLAIM_QUOTES=500 for many; a failure prints its
 * seed and path.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { underTest } from '../../kernel/world.ts';
import { Dice } from './model/choose.ts';
import { type Bought, buy, type Lane, openLane, send } from './model/counter.ts';
import type { Action, Line } from './model/state.ts';
import { dataOf, type Fields } from './shop.ts';

const ORDERS = Number(process.env['CLAIM_QUOTES'] ?? 8);
const LANES = Math.min(4, ORDERS);
const SEED = 1919;

const STAGES = ['PAID', 'CONFIRMED', 'SENT', 'DELIVERED'] as const;
type Stage = (typeof STAGES)[number];
const REASONS = {
  CANCEL: ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER'],
  RETURN: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
  EXCHANGE: ['CHANGE_OF_MIND', 'DEFECTIVE'],
} as const;
type ClaimType = keyof typeof REASONS;

const number = fc.nat({ max: 65_535 });
const drawn = fc.record({
  order: fc.array(number, { minLength: 40, maxLength: 40 }),
  stage: fc.constantFrom(...STAGES),
  claims: fc.array(fc.array(number, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 6, size: 'max' }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

interface Counted {
  /** By type. */
  readonly claims: Record<string, number>;
  /** Of approvals, how many had something else than the share of the goods in them. */
  charged: number;
}

/** Everything that a preview and an approval name alike. */
const quoteOf = (preview: Fields): Fields => ({
  quantity: preview['quantity'],
  refundAmount: preview['expectedRefundAmount'],
  pointRefundAmount: preview['expectedPointRefundAmount'],
  deliveryFeeRefundAmount: preview['expectedDeliveryFeeRefundAmount'],
  ...Object.fromEntries(PARTS.map((field) => [field, preview[field]])),
});
const PARTS = [
  'deliveryFeeChargeAmount',
  'deliveryFeeChargeRefundAmount',
  'couponChargeAmount',
  'couponChargeRefundAmount',
  'deductAmount',
] as const;
const expectedOf = ({ refundAmount, pointRefundAmount, deliveryFeeRefundAmount }: Fields): Fields => ({
  expectedRefundAmount: refundAmount,
  expectedPointRefundAmount: pointRefundAmount,
  expectedDeliveryFeeRefundAmount: deliveryFeeRefundAmount,
});

async function claimOne(lane: Lane, bought: Bought, index: number, stage: Stage, dice: Dice, counted: Counted): Promise<void> {
  const line = bought.shop.lines[index]!;
  const act = async (action: Action) => dataOf(await send(lane, bought, action, underTest.api)) as Fields;
  const isSent = stage === 'SENT' || stage === 'DELIVERED';
  const afterDispatch = (): ClaimType => (line.isShipped && dice.chance(20) ? 'EXCHANGE' : 'RETURN');
  const type: ClaimType = isSent ? afterDispatch() : 'CANCEL';
  const filing = {
    line: index,
    type,
    reason: dice.pick(REASONS[type]),
    quantity: 1 + dice.roll(line.quantity - line.left),
    isStranger: false,
  };
  const preview = await act({ do: 'preview', filing });
  const quote = quoteOf(preview);
  const filed = await act({ do: 'file', filing });
  const { claimId, status } = filed as { claimId: string; status: string };
  counted.claims[type] = (counted.claims[type] ?? 0) + 1;
  if (PARTS.some((field) => quote[field] !== 0) || quote['deliveryFeeRefundAmount'] !== 0) counted.charged += 1;
  line.left += filing.quantity;
  expect([preview['completesAtOnce'], preview['claimDeliveryFee']]).toEqual([status === 'COMPLETED', filed['claimDeliveryFee']]);
  expect(filed).toMatchObject(expectedOf(quote));
  if (status === 'COMPLETED') return expect(filed).toMatchObject(quote);
  if (line.isShipped && type !== 'CANCEL') {
    await act({ do: 'collect', claimId, method: 'BUYER_SEND' });
    await act({ do: 'collect/complete', claimId });
  }
  if (type === 'EXCHANGE') {
    await act({ do: 'redelivery', claimId });
    return expect(await act({ do: 'complete-exchange', claimId })).toMatchObject(quote);
  }
  const dry = await lane.shop.seller.call('POST', `/v1/claims/${claimId}/approve`, {}, { 'x-svc-dry-run': '1' });
  expect(dataOf(dry).preview.facts).toMatchObject(quote);
  const approved = await act({ do: 'approve', claimId });
  expect(approved).toMatchObject(quote);
  const closed = dataOf(await lane.shop.seller.call('GET', `/v1/claims/${claimId}`)) as Fields;
  expect(closed).toMatchObject({ ...quote, ...expectedOf(quote), status: 'COMPLETED' });
}

/** Brings all lines to a stage. */
async function bring(lane: Lane, bought: Bought, stage: Stage): Promise<void> {
  const act = async (action: Action) => void dataOf(await send(lane, bought, action, underTest.api));
  const steps = (line: Line): readonly ('confirm' | 'dispatch' | 'delivered' | 'fulfill')[] =>
    line.isShipped ? ['confirm', 'dispatch', 'delivered'] : ['confirm', 'fulfill'];
  for (const [line, book] of bought.shop.lines.entries())
    for (const move of steps(book).slice(0, STAGES.indexOf(stage))) await act({ do: move, line });
}

async function play(lane: Lane, { order, stage, claims }: Drawn, counted: Counted): Promise<void> {
  const bought = await buy(lane, new Dice(order));
  await bring(lane, bought, stage);
  for (const numbers of claims) {
    const dice = new Dice(numbers);
    const left = bought.shop.lines.flatMap((line, i) => (line.left < line.quantity ? [i] : []));
    if (left.length === 0) return;
    await claimOne(lane, bought, dice.pick(left), stage, dice, counted);
  }
}

test(
  `a preview is what comes: ${ORDERS} orders`,
  async () => {
    const counted: Counted = { claims: {}, charged: 0 };
    const check = async (_: unknown, index: number) => {
      const lane = await openLane();
      const numRuns = Math.floor(ORDERS / LANES) + (index < ORDERS % LANES ? 1 : 0);
      await fc.assert(
        fc.asyncProperty(drawn, (one) => play(lane, one, counted)),
        { seed: SEED + index, numRuns, unbiased: true, interruptAfterTimeLimit: 60_000 + ORDERS * 5000 },
      );
    };
    await Promise.all(Array.from({ length: LANES }, check));
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(Object.keys(counted.claims).toSorted()).toEqual(['CANCEL', 'EXCHANGE', 'RETURN']);
    expect(counted.charged).toBeGreaterThan(0);
  },
  120_000 + ORDERS * 10_000,
);
