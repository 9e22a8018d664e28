/** Load of claims: buyers cancel, return and exchange while processes are killed, sellers handle it; and the invariants of it. */
import type { Pool } from 'pg';
import { GUEST, type Headers_ } from '../../bin/dev/client.ts';
import type { ClaimMessages } from '../../domain/claims/machine.ts';
import { type ClaimStatus, type ClaimType, isOpen } from '../../domain/claims/rules.ts';

export type ClaimAction = keyof ClaimMessages['commands'];
/** Each command as a request; `withdraw` is the buyer's. */
export const CLAIM_ACTIONS: Readonly<Record<ClaimAction, { readonly path: string; readonly body: object }>> = {
  approve: { path: 'approve', body: {} },
  reject: { path: 'reject', body: { reason: 'USAGE_TRACES', explanation: '사용 흔적이 있어 반품할 수 없습니다.' } },
  collect: { path: 'collect', body: { method: 'BUYER_SEND' } },
  completeCollection: { path: 'collect/complete', body: {} },
  redeliver: { path: 'redelivery', body: { carrierCode: 'CJ', trackingNumber: '1234' } },
  completeExchange: { path: 'complete-exchange', body: {} },
  hold: { path: 'hold', body: { reason: '확인 중' } },
  release: { path: 'release', body: {} },
  withdraw: { path: 'withdraw', body: {} },
};

/** The acknowledged status of claims. */
export type Claims = Map<string, ClaimStatus>;
type SendRequest = (
  method: string,
  path: string,
  body: unknown,
  headers: Headers_,
) => Promise<{ status: number; data: Record<string, unknown> | null }>;

/** How a seller, or the buyer, may end a claim. Of what was provided nothing is collected. */
const WAYS: Readonly<Record<ClaimType | 'PROVIDED_RETURN', readonly (readonly ClaimAction[])[]>> = {
  CANCEL: [['approve'], ['hold', 'approve'], ['reject'], ['withdraw']],
  RETURN: [
    ['collect', 'completeCollection', 'approve'],
    ['collect', 'completeCollection', 'reject'],
    ['hold', 'release', 'withdraw'],
  ],
  PROVIDED_RETURN: [['approve'], ['hold', 'reject']],
  EXCHANGE: [['collect', 'completeCollection', 'redeliver', 'completeExchange'], ['reject']],
};

export type ClaimKind = keyof typeof WAYS;

/** A guest's order, its seller and its buyer. */
export interface Claiming {
  readonly orderId: string;
  readonly orderItemId: string;
  readonly seller: Headers_;
  readonly shop: Headers_;
}

/** Files a claim of one unit and handles it to its end; returns the units that have left the item by it. */
export async function claimOne(
  send: SendRequest,
  { orderId, orderItemId, seller, shop }: Claiming,
  kind: ClaimKind,
  claims: Claims,
): Promise<number> {
  const type = kind === 'PROVIDED_RETURN' ? 'RETURN' : kind;
  const guest = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
  const order = `/storefront/v1/guest/orders/${orderId}`;
  const wanted = { ...guest, type, reason: 'CHANGE_OF_MIND', quantity: 1 };
  const filed = await send('POST', `${order}/items/${orderItemId}/claims`, wanted, shop);
  if (filed.status !== 201) return 0;
  const { claimId, status } = filed.data as { claimId: string; status: ClaimStatus };
  claims.set(claimId, status);
  if (status === 'COMPLETED') return 1;
  const ways = WAYS[kind];
  for (const action of ways[Math.floor(Math.random() * ways.length)]!) {
    const { path, body } = CLAIM_ACTIONS[action];
    const done =
      action === 'withdraw'
        ? await send('POST', `${order}/claims/${claimId}/withdraw`, guest, shop)
        : await send('POST', `/v1/claims/${claimId}/${path}`, body, seller);
    if (done.status !== 200) return 0;
    claims.set(claimId, action === 'approve' ? 'COMPLETED' : (done.data as { status: ClaimStatus }).status);
  }
  return claims.get(claimId) === 'COMPLETED' ? 1 : 0;
}

interface ClaimRow {
  readonly claim_id: string;
  readonly type: ClaimType;
  readonly status: ClaimStatus;
  readonly quantity: number;
  readonly stock_shortfall: number;
  readonly shown: ClaimStatus | null;
  readonly pausing: boolean;
  readonly running: boolean;
  readonly steps: readonly string[];
  readonly moved: number;
  readonly unsellable: number;
  readonly refund: number | null;
  readonly refunded: number | null;
  readonly records: number;
  readonly requested: number;
  readonly completed: number;
}
/** Everything about each claim: its item, its run, its history, its stock, its refund, its record, its events. */
const CLAIMS = `SELECT c.claim_id, c.type, c.status, c.quantity, c.stock_shortfall,
    (SELECT s ->> 'status' FROM jsonb_array_elements(i.claims) s WHERE s ->> 'claimId' = c.claim_id) AS shown,
    EXISTS (SELECT 1 FROM jsonb_array_elements(i.flow_state::jsonb -> 'claims') o WHERE o ->> 'id' = c.claim_id) AS pausing,
    EXISTS (SELECT 1 FROM run r WHERE r.entity_id = c.claim_id AND r.done_at IS NULL) AS running,
    (SELECT array_agg(s.name ORDER BY s.seq) FROM claim_step s WHERE s.claim_id = c.claim_id) AS steps,
    (SELECT coalesce(sum(m.quantity), 0)::int FROM stock_movement m WHERE m.reference = c.claim_id) AS moved,
    (SELECT coalesce(sum(m.unsellable_quantity), 0)::int FROM stock_movement m WHERE m.reference = c.claim_id) AS unsellable,
    (c.amounts ->> 'refundAmount')::int AS refund,
    (SELECT r.amount_won FROM refund r WHERE r.refund_id = c.amounts ->> 'refundId' AND r.order_item_id = c.order_item_id) AS refunded,
    (SELECT count(*)::int FROM audit_domain d WHERE d.action = 'CLAIM_REFUNDED' AND d.target_id = c.claim_id) AS records,
    (SELECT count(*)::int FROM event e WHERE e.type = 'CLAIM.' || c.type || '_REQUESTED'
      AND e.body::jsonb -> 'data' ->> 'claimId' = c.claim_id) AS requested,
    (SELECT count(*)::int FROM event e WHERE e.type = 'CLAIM.COMPLETED' AND e.body::jsonb -> 'data' ->> 'claimId' = c.claim_id) AS completed
  FROM claim c JOIN order_item i USING (store_id, order_item_id)`;

/** All violations as sentences. */
export async function claimsBroken(pool: Pool, promised: Claims): Promise<string[]> {
  const { rows } = await pool.query<ClaimRow>(CLAIMS);
  const found = new Map(rows.map((row) => [row.claim_id, row]));
  return [
    ...[...promised].flatMap(([id, status]) =>
      isConfirmed(status, found.get(id)?.status) ? [] : [`a claim was said to be ${status}: ${JSON.stringify(found.get(id))}`],
    ),
    ...rows.flatMap((row) => RULES.filter(([, holds]) => !holds(row)).map(([what]) => `${what}: ${JSON.stringify(row)}`)),
  ];
}

/** A hold ends by itself. */
const isConfirmed = (promised: ClaimStatus, found: ClaimStatus | undefined): boolean =>
  found === promised || (promised === 'HELD' && found === 'REQUESTED');
const isPaid = ({ type, status }: ClaimRow): boolean => status === 'COMPLETED' && type !== 'EXCHANGE';
const times = ({ steps }: ClaimRow, name: string): number => steps.filter((step) => step === name).length;

const RULES: readonly (readonly [what: string, holds: (row: ClaimRow) => boolean])[] = [
  ['a claim and what its item shows differ', (row) => row.shown === row.status],
  ['a claim and the rest of its item’s deadlines differ', (row) => row.pausing === isOpen(row.status)],
  ['a claim and its run differ', (row) => row.running === isOpen(row.status)],
  ['a step of a claim happened twice', ({ steps }) => new Set(steps).size === steps.length],
  ['a claim was not requested first', ({ steps }) => steps[0] === 'request'],
  ['an approval and a completion differ', (row) => times(row, 'approve') === Number(isPaid(row))],
  ['a claim gave back other than its refund', (row) => (row.refund ?? 0) === (row.refunded ?? 0) && (row.refund === null) !== isPaid(row)],
  ['a refund of a claim has not one record', (row) => row.records === Number(isPaid(row))],
  ['a claim and its events differ', (row) => row.requested === 1 && row.completed === Number(row.status === 'COMPLETED')],
  ['a claim moved other than its stock', (row) => row.moved === movedBy(row) && row.unsellable >= 0],
];

/** The units that a claim has put into stock, in all, where all that came back are sound. */
function movedBy(row: ClaimRow): number {
  if (isPaid(row)) return row.quantity - row.unsellable;
  if (row.status === 'REJECTED') return row.stock_shortfall;
  const [back, sent] = [times(row, 'completeCollection'), times(row, 'redeliver')];
  return row.quantity * (back - sent) - row.unsellable;
}
