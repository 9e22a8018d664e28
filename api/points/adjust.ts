import type { Tx } from '../../db/kernel/tx.ts';
import { isVisible } from '../../domain/kernel/text.ts';
import { deductPoints, earnExpiry, grantPoints } from '../../db/points/ledger.ts';
import { readPolicy } from '../../db/points/policy.ts';
import { isMember } from '../../db/points/queries.ts';
import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { SECOND } from '../../domain/kernel/time.ts';
import { NAME } from '../declare/documentedSchema.ts';
import type { Caller } from '../declare/caller.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, type Static, Timestamp, Type, type Fitting } from '../declare/schema.ts';
import { PointEntryView, viewEntry } from './schemas.ts';
import { CUSTOMER_POINTS } from './subject.ts';

const MAX_WON = 2_000_000_000;
const MAX_REASON = 200;
/** A reason may stand among any number of blanks; no body is larger. */
const MAX_SENT = 256 * 1024;
const Adjustment = closed(
  {
    amount: Type.Integer({
      minimum: -MAX_WON,
      maximum: MAX_WON,
      description: 'Positive grants, negative deducts; not 0',
      'x-document': { not: { const: 0 } },
    }),
    reason: Type.String({
      maxLength: MAX_SENT,
      description: '1 to 200 characters around which blanks are left out; the buyer does not see it',
      'x-document': { pattern: NAME, maxLength: MAX_REASON },
    }),
    expiresAt: Type.Optional({ ...Timestamp, description: 'Of a grant, in the future; the policy’s expiry when omitted' }),
  },
  { title: 'PointAdjustment' },
);

export const adjust = endpoint({
  id: 'points.adjust',
  route: 'POST /v1/customers/{customerId}/points/adjustments',
  summary: 'Grant points to a customer, or deduct some',
  access: 'store',
  scopes: ['promotion:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: CUSTOMER_POINTS,
  facts: ['balance'],
  unshown: ['reason'],
  levels: ['balance', 'expiringSoon'],
  context: grantContext,
  change: 'here',
  idempotent: true,
  needsKey: true,
  body: Adjustment,
  check: (body, _, caller) => problemsOf(body, caller),
  status: 201,
  data: PointEntryView,
  errors: ['CUSTOMER_NOT_FOUND', 'POINT_EXPIRY_REQUIRED', 'POINT_BALANCE_INSUFFICIENT', 'POINTS_UNAVAILABLE'],
}).handle(async ({ tx, params: { customerId }, body: { amount, reason, expiresAt } }) => {
  const policy = await readPolicy(tx);
  if (!policy.available) throw new Fault('POINTS_UNAVAILABLE');
  if (!(await isMember(tx, customerId))) throw new Fault('CUSTOMER_NOT_FOUND');
  const about = { customerId, type: 'ADJUST', memo: reason.trim() } as const;
  const entry =
    amount > 0
      ? await grantPoints(tx, {
          ...about,
          amountWon: amount,
          expiresAt: expiresAt === undefined ? earnExpiry(policy, tx.at) : new Date(wholeSecond(expiresAt)),
        })
      : await deductPoints(tx, { ...about, amountWon: -amount });
  // They withdrew meanwhile.
  if (!entry) throw new Fault('CUSTOMER_NOT_FOUND');
  return viewEntry(entry);
});

/** A grant without an expiry of its own takes the policy's. */
async function grantContext(_: object, { tx, body }: { readonly tx: Tx; readonly body: unknown }): Promise<object> {
  const { amount, expiresAt } = body as Static<typeof Adjustment>;
  return amount > 0 && expiresAt === undefined ? { expiryDays: (await readPolicy(tx)).expiryDays } : {};
}

const wholeSecond = (time: string): number => Math.floor(Date.parse(time) / SECOND) * SECOND;

/** What the schema cannot say. */
function problemsOf({ amount, reason, expiresAt }: Fitting<Static<typeof Adjustment>>, { at }: Caller): FieldError[] {
  const text = reason?.trim();
  const isLong = text !== undefined && (text.length > 2 * MAX_REASON || Array.from(text).length > MAX_REASON);
  const isPast = expiresAt !== undefined && !(wholeSecond(expiresAt) > at);
  const found = (isWrong: boolean, field: string, code: string, message: string) => (isWrong ? [{ field, code, message }] : []);
  return [
    ...found(amount === 0, 'amount', 'OUT_OF_RANGE', 'must not be 0'),
    ...found(text !== undefined && !isVisible(text), 'reason', 'TOO_SHORT', 'must not be blank'),
    ...found(isLong, 'reason', 'TOO_LONG', `must have at most ${MAX_REASON} characters`),
    ...found(isPast, 'expiresAt', 'OUT_OF_RANGE', 'must be in the future'),
    ...found(expiresAt !== undefined && !isPast && (amount ?? 0) < 0, 'expiresAt', 'NOT_APPLICABLE', 'a deduction has no expiry'),
  ];
}
