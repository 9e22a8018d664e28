/** The sums of an order, read from the database by SQL, and what does not add up in them. */
import { query } from '../../../kernel/world.ts';

type Row = Readonly<Record<string, unknown>>;
export interface Books {
  readonly paid: number;
  readonly order: Row;
  readonly items: readonly (Row & { readonly order_item_id: string; readonly quantity: number; readonly canceled_quantity: number })[];
  readonly bundles: readonly Row[];
  readonly claims: readonly ClaimRow[];
  readonly steps: readonly { readonly claim_id: string; readonly seq: number; readonly name: string; readonly detail: Row | null }[];
  readonly refunds: readonly {
    readonly refund_id: string;
    readonly amount_won: number;
    readonly status: string;
    readonly order_item_id: string;
  }[];
  readonly audits: readonly {
    readonly action: string;
    readonly target_id: string;
    readonly refund_id: string | null;
    readonly metadata: { readonly refundAmount: number; readonly pointRefundAmount: number; readonly quantity?: number };
  }[];
  readonly runs: readonly { readonly entity_id: string; readonly done_at: string | null }[];
  readonly stock: readonly { readonly variant_id: string; readonly stock_quantity: number; readonly moved: number }[];
  readonly unsellable: readonly { readonly reference: string; readonly reason: string; readonly units: number }[];
}
interface ClaimRow extends Row {
  readonly claim_id: string;
  readonly order_item_id: string;
  readonly status: string;
  readonly type: string;
  readonly quantity: number;
  readonly closed_at: string | null;
  readonly amounts: { readonly refundAmount: number; readonly refundId: string | null } | null;
  readonly inspection: { readonly soundQuantity: number; readonly damagedQuantity: number; readonly missingQuantity: number } | null;
  readonly stock_shortfall: number;
  readonly restocked_quantity: number;
}

/** Everything about an order in one statement, hence as of one moment. */
export async function readBooks(storeId: string, orderId: string, optionIds: readonly string[]): Promise<Books> {
  const [row] = await query<{ books: Books }>(
    `WITH o AS (SELECT * FROM orders WHERE store_id = $1 AND order_id = $2),
       i AS (SELECT * FROM order_item WHERE store_id = $1 AND order_id = $2),
       c AS (SELECT * FROM claim WHERE store_id = $1 AND order_id = $2)
     SELECT jsonb_build_object(
       'paid', (SELECT p.total_won FROM payment p JOIN o USING (store_id, payment_id)),
       'order', (SELECT to_jsonb(o) FROM o),
       'items', (SELECT jsonb_agg(to_jsonb(i) ORDER BY position) FROM i),
       'bundles', (SELECT coalesce(jsonb_agg(to_jsonb(b) ORDER BY bundle_no), '[]') FROM order_bundle b
         WHERE store_id = $1 AND order_id = $2),
       'claims', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY requested_at, claim_id), '[]') FROM c),
       'steps', (SELECT coalesce(jsonb_agg(to_jsonb(s) ORDER BY s.claim_id, seq), '[]') FROM claim_step s
         JOIN c USING (store_id, claim_id)),
       'refunds', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM refund r JOIN o USING (store_id, payment_id)),
       'audits', (SELECT coalesce(jsonb_agg(to_jsonb(a)), '[]') FROM audit_domain a WHERE store_id = $1
         AND action IN ('CLAIM_REFUNDED', 'ORDER_ITEM_CANCELED')
         AND target_id IN (SELECT claim_id FROM c UNION ALL SELECT order_item_id FROM i)),
       'runs', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM run r WHERE r.store_id = $1 AND workflow_type = 'claim'
         AND entity_id IN (SELECT claim_id FROM c)),
       'stock', (SELECT jsonb_agg(jsonb_build_object('variant_id', variant_id, 'stock_quantity', stock_quantity, 'moved',
         (SELECT coalesce(sum(m.quantity), 0) FROM stock_movement m WHERE m.store_id = $1 AND m.variant_id = v.variant_id)))
         FROM variant v WHERE v.store_id = $1 AND variant_id = ANY($3::text[])),
       'unsellable', (SELECT
         coalesce(jsonb_agg(jsonb_build_object('reference', reference, 'reason', reason, 'units', unsellable_quantity)), '[]')
         FROM stock_movement WHERE store_id = $1 AND variant_id = ANY($3::text[]) AND unsellable_quantity > 0)
     ) AS books`,
    [storeId, orderId, optionIds],
  );
  return row!.books;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** What does not hold, as sentences. */
export const violations = (books: Books): string[] => [
  ...money(books),
  ...units(books),
  ...shownClaims(books),
  ...claimRows(books),
  ...records(books),
  ...stock(books),
];

function money({ paid, refunds, claims, audits }: Books): string[] {
  const found: string[] = [];
  const back = sum(refunds.map(({ amount_won: won }) => won));
  if (back > paid) found.push(`${back} went back of ${paid}`);
  const canceled = audits.filter(({ action }) => action === 'ORDER_ITEM_CANCELED').map(({ metadata }) => metadata.refundAmount);
  const claimed = claims.map(({ amounts }) => amounts?.refundAmount ?? 0);
  if (back !== sum(canceled) + sum(claimed)) found.push(`refunds are ${back}, claims and cancels ${sum(claimed)} + ${sum(canceled)}`);
  for (const { refund_id: id, amount_won: won } of refunds) {
    const records = audits.filter((audit) => audit.refund_id === id);
    if (records.length !== 1 || records[0]!.metadata.refundAmount !== won) found.push(`${id} has the records ${JSON.stringify(records)}`);
  }
  for (const { claim_id: id, amounts } of claims) {
    if (amounts && amounts.refundAmount > 0 !== (amounts.refundId !== null)) found.push(`${id}: a refund exactly where cash goes back`);
    if (amounts?.refundId && !refunds.some((one) => one.refund_id === amounts.refundId)) found.push(`${id} has no refund`);
  }
  return found;
}

function units({ items, claims, audits }: Books): string[] {
  return items.flatMap((item) => {
    const id = item.order_item_id;
    const done = claims.filter((claim) => claim.order_item_id === id && claim.status === 'COMPLETED');
    const canceled = audits.filter((audit) => audit.action === 'ORDER_ITEM_CANCELED' && audit.target_id === id);
    const left = sum(done.map(({ quantity }) => quantity)) + sum(canceled.map(({ metadata }) => metadata.quantity ?? 0));
    const exchanged = sum(done.filter(({ type }) => type === 'EXCHANGE').map(({ quantity }) => quantity));
    const found: string[] = [];
    if (item.canceled_quantity !== left) found.push(`${id}: ${item.canceled_quantity} units left, claims and cancels say ${left}`);
    if (item['exchanged_quantity'] !== exchanged)
      found.push(`${id}: ${String(item['exchanged_quantity'])} exchanged, claims say ${exchanged}`);
    const isOver = ['CANCELED', 'RETURNED', 'EXCHANGED'].includes(String(item['status']));
    if (isOver !== (item.canceled_quantity === item.quantity)) found.push(`${id} is ${String(item['status'])} with units left`);
    return found;
  });
}

/** The last line of a claim's history in each status. */
const LAST: Readonly<Record<string, readonly string[]>> = {
  REQUESTED: ['request', 'release'],
  HELD: ['hold'],
  COLLECTING: ['collect'],
  COLLECTED: ['completeCollection'],
  REDELIVERING: ['redeliver'],
  COMPLETED: ['approve', 'completeExchange'],
  REJECTED: ['reject'],
  WITHDRAWN: ['withdraw'],
};

function shownClaims({ items, claims }: Books): string[] {
  const found: string[] = [];
  for (const item of items) {
    const own = claims.filter((claim) => claim.order_item_id === item.order_item_id);
    const open = own.filter(({ closed_at: closed }) => closed === null).map(({ claim_id: id }) => id);
    if (open.length > 1) found.push(`${item.order_item_id} has two open claims`);
    const shown = own.map(({ claim_id: claimId, claim_no: claimNo, type, status, quantity, reason, requested_at: requested }) => ({
      claimId,
      claimNo,
      type,
      status,
      quantity,
      reason,
      requestedAt: Date.parse(requested as string),
    }));
    if (!isSame(shown, item['claims']))
      found.push(`${item.order_item_id} shows other claims than there are: ${JSON.stringify([shown, item['claims']])}`);
    const flow = item['flow_state'] as { claims: { id: string }[]; positions: { due: { at: number | null }[] }[] };
    if (
      !isSame(
        flow.claims.map(({ id }) => id),
        open,
      )
    )
      found.push(`${item.order_item_id} waits for other claims than are open`);
    if (flow.positions.some(({ due }) => due.some(({ at }) => (at === null) !== open.length > 0)))
      found.push(`${item.order_item_id}: deadlines rest exactly while a claim is open`);
  }
  return found;
}

function claimRows({ claims, steps, runs }: Books): string[] {
  const found: string[] = [];
  for (const { claim_id: id, status, closed_at: closedAt } of claims) {
    const own = steps.filter((step) => step.claim_id === id);
    if (own.some(({ seq }, i) => seq !== i + 1)) found.push(`${id}: a gap in the history`);
    if (!LAST[status]!.includes(own.at(-1)!.name)) found.push(`${id}: ${status} after ${own.at(-1)!.name}`);
    const isClosed = ['COMPLETED', 'REJECTED', 'WITHDRAWN'].includes(status);
    if (isClosed !== (closedAt !== null)) found.push(`${id}: closed_at of ${status}`);
    const run = runs.find((one) => one.entity_id === id);
    const isAtOnce = own.length === 2 && own[1]!.name === 'approve' && run === undefined;
    if (!isAtOnce && (run === undefined || isClosed !== (run.done_at !== null)))
      found.push(`${id}: ${status}, and its run ${JSON.stringify(run)}`);
  }
  return found;
}

function records({ claims, audits }: Books): string[] {
  return claims.flatMap(({ claim_id: id, type, status, amounts }) => {
    const own = audits.filter((audit) => audit.target_id === id);
    const expected = status === 'COMPLETED' && type !== 'EXCHANGE' ? 1 : 0;
    if (own.length === expected && own.every(({ metadata }) => metadata.refundAmount === amounts?.refundAmount)) return [];
    return [`${id}: ${expected} record of the refund expected: ${JSON.stringify(own)}`];
  });
}

function stock({ stock: variants, claims, unsellable }: Books): string[] {
  const found = variants
    .filter((variant) => variant.stock_quantity !== variant.moved)
    .map((variant) => `${variant.variant_id}: stock ${variant.stock_quantity}, movements ${variant.moved}`);
  for (const { claim_id: id, inspection, stock_shortfall: shortfall } of claims) {
    const of = (reason: string) => sum(unsellable.filter((one) => one.reference === id && one.reason === reason).map(({ units }) => units));
    const got = [of('RETURN_DAMAGED'), of('RETURN_MISSING'), of('RETURN_SHORTFALL')];
    const expected = [inspection?.damagedQuantity ?? 0, inspection?.missingQuantity ?? 0, shortfall];
    if (!isSame(got, expected)) found.push(`${id}: units that are no stock ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
  return found;
}

const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Rows that changed without a later `lastChangedAt`, and orders whose items or claims changed without theirs. */
export function unmarked(before: Books, after: Books): string[] {
  const isMarked = (old: Row, row: Row) => Date.parse(row['last_changed_at'] as string) > Date.parse(old['last_changed_at'] as string);
  const changes = (was: readonly Row[], are: readonly Row[], id: string) =>
    are.flatMap((row) => {
      const old = was.find((one) => one[id] === row[id]);
      return old === undefined || isSame(old, row) ? [] : [{ id: row[id], isMarked: isMarked(old, row) }];
    });
  const items = changes(before.items, after.items, 'order_item_id');
  const claims = changes(before.claims, after.claims, 'claim_id');
  const isNew = after.claims.length > before.claims.length;
  const found = [...items, ...claims]
    .filter((change) => !change.isMarked)
    .map(({ id }) => `${String(id)} changed, and not its lastChangedAt`);
  if ((items.length > 0 || claims.length > 0 || isNew) && !isMarked(before.order, after.order))
    found.push('the order changed, and not its lastChangedAt');
  return found;
}
