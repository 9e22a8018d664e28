/** Which line and which delivery fee the points of an order pay (N24, D53). Won. */

export interface Allocation {
  /** Of each line, in their order. */
  readonly lines: readonly number[];
  /** Of the fee of each bundle, in their order. */
  readonly bundles: readonly number[];
  /** The sum over the bundles. */
  readonly deliveryWon: number;
}

/**
 * Points pay goods first, what is more pays delivery. `paidWon`: each line's price less its coupon; `feesWon`: each bundle's fee with its
 * surcharge. 1,000 points over lines of 3,000, 3,000 and 4,000: 300, 300 and 400. 100 over three lines of 1,000: 34, 33 and 33.
 */
export function allocatePoints(pointWon: number, paidWon: readonly number[], feesWon: readonly number[]): Allocation {
  const goodsWon = Math.min(pointWon, sumOf(paidWon));
  const deliveryWon = pointWon - goodsWon;
  return { deliveryWon, lines: sharesOf(goodsWon, paidWon), bundles: sharesOf(deliveryWon, feesWon) };
}

/** Shares in proportion to the weights, floor each; the rest is one won each for the first that weigh anything. */
function sharesOf(won: number, weights: readonly number[]): number[] {
  const total = sumOf(weights);
  if (won > total) throw new Error(`${won} won are more than the ${total} that they pay for`);
  if (total === 0) return weights.map(() => 0);
  const shares = weights.map((weight) => Number((BigInt(won) * BigInt(weight)) / BigInt(total)));
  let rest = won - sumOf(shares);
  return shares.map((share, i) => {
    const more = rest > 0 && weights[i]! > 0 ? 1 : 0;
    rest -= more;
    return share + more;
  });
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
