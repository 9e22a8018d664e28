/** The time from which a review's period counts: that of the decision, not that of the step that applied it. */
import { expect, test } from '@jest/globals';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import { step } from '../../../domain/flows/run/step.ts';
import { enteredAt, type FlowEvent, type FlowState } from '../../../domain/flows/run/state.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { writingRefusal } from '../../../domain/reviews/rules.ts';

const facts = { settings: { autoDeliverDays: 7, autoConfirmDays: 7 } };
const members = [{ id: 'oit_1', activeQuantity: 3 }];
const run = (events: readonly (readonly [FlowEvent, number])[]): FlowState =>
  events.reduce<FlowState | null>((state, [event, at]) => {
    const result = step(builtInFlow('shipping-standard', 1)!, state, event, at, facts);
    if (!result.ok) throw new Error(result.reason);
    return result.state;
  }, null)!;
const seller = (key: string): FlowEvent => ({ type: 'seller.action', key });
const shipped = [
  [{ type: 'start', members }, 0],
  [seller('confirm'), 1],
  [seller('dispatch'), 2],
] as const;

test('a decision that fell due on day 14 and was applied on day 20 counts from day 14', () => {
  const { status, ...state } = run([...shipped, [{ type: 'elapsed' }, 20 * DAY]]);
  const decidedAt = enteredAt({ status, ...state });
  expect(decidedAt).toBe(14 * DAY + 2);
  const item = { testPayment: false, status, decidedAt };
  expect([0, 1].map((ms) => writingRefusal(item, 104 * DAY + 2 + ms))).toEqual([null, 'PERIOD_EXPIRED']);
});
test('a buyer’s decision counts from its own time; a partial return before it moves nothing', () => {
  const returned: FlowEvent = { type: 'reduced', member: 'oit_1', quantity: 1, cause: 'CLAIM_RETURN', refId: 'r' };
  const decided = run([...shipped, [seller('delivered'), DAY], [returned, 2 * DAY], [{ type: 'buyer.action', key: 'decide' }, 3 * DAY]]);
  expect([decided.status, enteredAt(decided)]).toEqual(['PURCHASE_DECIDED', 3 * DAY]);
});
