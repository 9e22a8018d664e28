/** What somebody does next with an order: mostly what makes sense, sometimes anything at all. */
import { activeQuantity, openClaim } from './filing.ts';
import type { Action, Claim, Filing, Line, Shop } from './state.ts';

/** Numbers that were drawn beforehand, so that a failure is replayed and shrunk. */
export class Dice {
  readonly #numbers: readonly number[];
  #next = 0;
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }
  /** From 0 to `count - 1`. */
  roll(count: number): number {
    return this.#numbers[this.#next++ % this.#numbers.length]! % count;
  }
  pick<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)]!;
  }
  /** In `percent` of cases. Not after shrinking. */
  chance(percent: number): boolean {
    return this.roll(100) >= 100 - percent;
  }
}

type Choice = readonly [weight: number, make: () => Action];

/** `index`: another action at the same moment is about the same line. */
export function choose(shop: Shop, dice: Dice, index = dice.roll(shop.lines.length)): Action {
  const line = shop.lines[index]!;
  const claim = openClaim(shop, line);
  if (dice.chance(12)) return anything(shop, dice, index);
  const choices: Choice[] = [
    ...(claim ? claimChoices(claim, line, dice) : lineChoices(shop, index, dice)),
    [1, () => ({ do: 'advance', days: dice.pick([1, 2, 3, 6, 7, 8]) })],
    [1, () => ({ do: 'stock', productId: line.productId, optionId: line.optionId, quantity: dice.roll(4) })],
    ...Object.keys(shop.heldRefunds).map((refundId): Choice => [2, () => ({ do: 'process', refundId })]),
  ];
  let left = dice.roll(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of choices) {
    if (left < weight) return make();
    left -= weight;
  }
  throw new Error('unreachable');
}

const CANCELS = ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER'];
const RETURNS = ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'];

function filingOf(shop: Shop, index: number, type: Filing['type'], dice: Dice): Filing {
  const line = shop.lines[index]!;
  const usual = type === 'CANCEL' ? CANCELS : RETURNS;
  const options = [line.optionId, line.otherOptionId, shop.lines[(index + 1) % shop.lines.length]!.optionId];
  return {
    line: index,
    type,
    reason: dice.pick(dice.chance(4) ? ['ORDER_MISTAKE', 'DEFECTIVE'] : usual),
    ...(dice.chance(70) && { quantity: 1 + dice.roll(Math.max(1, activeQuantity(line))) + (dice.chance(5) ? 5 : 0) }),
    ...(type === 'EXCHANGE' && dice.chance(60) && { exchangeOptionId: options[dice.chance(5) ? 2 : dice.roll(2)]! }),
    isStranger: dice.chance(2),
  };
}

function lineChoices(shop: Shop, index: number, dice: Dice): Choice[] {
  const line = shop.lines[index]!;
  const filed = (type: Filing['type']): Choice[] => [
    [4, () => ({ do: 'file', filing: filingOf(shop, index, type, dice) })],
    [1, () => ({ do: 'preview', filing: filingOf(shop, index, type, dice) })],
  ];
  const moved = (name: 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'decide' | 'extend', weight: number): Choice => [
    weight,
    () => ({ do: name, line: index }),
  ];
  const canceled: Choice = [
    2,
    () => ({
      do: 'cancel',
      line: index,
      ...(dice.chance(70) && { quantity: 1 + dice.roll(Math.max(1, activeQuantity(line))) }),
      ...(dice.chance(30) && { holdRefund: true }),
    }),
  ];
  const offered: Readonly<Partial<Record<Line['status'], readonly Choice[]>>> = {
    PAID: [moved('confirm', 6), ...filed('CANCEL'), canceled, ...(line.isShipped ? [] : [moved('fulfill', 3)])],
    CONFIRMED: [moved(line.isShipped ? 'dispatch' : 'fulfill', 6), ...filed('CANCEL'), canceled],
    DISPATCHED: [moved('delivered', 3), ...filed('RETURN'), ...filed('EXCHANGE')],
    DELIVERED: [moved('extend', 2), moved('decide', 1), ...filed('RETURN'), ...(line.isShipped ? filed('EXCHANGE') : [canceled])],
  };
  return [...(offered[line.status] ?? filed('RETURN'))];
}

function claimChoices(claim: Claim, line: Line, dice: Dice): Choice[] {
  const { claimId, type, status } = claim;
  const reject: Choice = [2, () => ({ do: 'reject', claimId, explanation: dice.chance(8) ? '짧다' : '사용한 흔적이 있습니다.' })];
  const approve: Choice = [
    6,
    () => ({
      do: 'approve',
      claimId,
      ...(dice.chance(40) && { deductAmount: dice.pick([0, 500, 3333, 1_000_000]) }),
      ...(dice.chance(30) && { holdRefund: true }),
    }),
  ];
  const collect: Choice = [6, () => ({ do: 'collect', claimId, ...dice.pick(COLLECTIONS.slice(0, dice.chance(8) ? 3 : 2)) })];
  const waiting: Choice[] = [
    type === 'CANCEL' || !line.isShipped ? approve : collect,
    reject,
    [1, () => ({ do: 'withdraw', claimId, isStranger: dice.chance(5) })],
  ];
  if (status === 'REQUESTED') return [...waiting, [2, () => ({ do: 'hold', claimId, ...(dice.chance(60) && { days: dice.pick(HOLDS) }) })]];
  if (status === 'HELD') return [...waiting, [2, () => ({ do: 'release', claimId })], [1, () => ({ do: 'hold', claimId })]];
  if (status === 'COLLECTING') return [[6, () => ({ do: 'collect/complete', claimId, ...inspectionOf(claim, dice) })], reject];
  if (status === 'REDELIVERING')
    return [
      [4, () => ({ do: 'complete-exchange', claimId })],
      [1, reject[1]],
    ];
  return type === 'RETURN' ? [approve, reject] : [redelivery(claim, line, dice), reject];
}
const COLLECTIONS = [{ method: 'SELLER_PICKUP', carrierCode: 'CJ' }, { method: 'BUYER_SEND' }, { method: 'SELLER_PICKUP' }] as const;
const HOLDS = [1, 3, 7, 8, -1];

function inspectionOf({ quantity }: Claim, dice: Dice): { readonly inspection?: readonly [number, number, number] } {
  if (!dice.chance(60)) return {};
  const sound = dice.roll(quantity + 1);
  const damaged = dice.roll(quantity - sound + 1);
  return { inspection: [sound, damaged, quantity - sound - damaged + (dice.chance(6) ? 1 : 0)] };
}
const redelivery = ({ claimId }: Claim, line: Line, dice: Dice): Choice => [
  6,
  () => ({ do: 'redelivery', claimId, ...(dice.chance(40) && { optionId: dice.pick([line.optionId, line.otherOptionId]) }) }),
];

/** Most likely refused. */
function anything(shop: Shop, dice: Dice, index: number): Action {
  const { claims } = shop;
  const refunds = [...Object.keys(shop.heldRefunds), ...Object.keys(shop.releasedRefunds)];
  if (refunds.length > 0 && dice.chance(10)) return { do: 'process', refundId: dice.pick(refunds) };
  if (claims.length > 0 && dice.chance(60)) {
    const claim = dice.pick(claims);
    const line = shop.lines[claim.line]!;
    const statuses = ['REQUESTED', 'HELD', 'COLLECTING', 'COLLECTED', 'REDELIVERING'] as const;
    const pretended = { ...claim, type: dice.pick(['CANCEL', 'RETURN', 'EXCHANGE'] as const), status: dice.pick(statuses) };
    return dice.pick(claimChoices(pretended, line, dice))[1]();
  }
  if (dice.chance(40)) return { do: 'cancel', line: index, quantity: 1 + dice.roll(6) };
  if (dice.chance(50)) return { do: 'file', filing: filingOf(shop, index, dice.pick(['CANCEL', 'RETURN', 'EXCHANGE'] as const), dice) };
  return { do: dice.pick(['confirm', 'dispatch', 'delivered', 'fulfill', 'decide', 'extend'] as const), line: index };
}
