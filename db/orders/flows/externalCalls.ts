/** The request of an external node's entry: begun once, and its answer stored while the flow still waits for it. */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { type ExternalRequest, externalRequest } from '../../../domain/flows/run/external.ts';
import type { ExternalNode } from '../../../domain/flows/graph/graph.ts';
import { locationOf } from '../../../domain/flows/run/positions.ts';
import type { FlowState } from '../../../domain/flows/run/state.ts';
import type { ExternalResult } from '../../../domain/orders/messages.ts';
import { type CallAnswer, beginCall, readAnswer, settleCall } from '../../flows/calls.ts';
import { FlowGroupEntity } from '../../flows/entities.ts';
import { flowOf, loadFlows } from '../../flows/loaded.ts';
import { openSecret } from '../../flows/secrets.ts';
import { type Entry, nextInTurn, takeTurn } from '../../flows/turns.ts';
import type { Keyring } from '../../kernel/keyring.ts';
import { orderGroupRun, orderItemRun, type RunIds } from '../../../workflows/kernel/messages.ts';
import type { Tx } from '../../kernel/tx.ts';
import { enqueueWake } from '../../runs/commands.ts';
import { type OrderItem, OrderItemEntity } from '../entities.ts';
import { itemOfTemplates, templateValues } from './views.ts';
import { setState } from './states.ts';

export interface BegunRequest extends ExternalRequest {
  readonly headerName: string;
  readonly headerValue: string;
  readonly idempotencyKey: string;
}
/** To be sent now; to wait for its turn; known already; begun by another execution, which has so many seconds for it. */
export type Beginning =
  | { readonly send: BegunRequest }
  | { readonly waits: true }
  | { readonly known: ExternalResult }
  | { readonly foreignSeconds: number };

/**
 * Marks the request as begun before it is sent. What the flow no longer waits for is not sent, nor what has no connection or no address.
 */
export async function beginExternalCall(tx: Tx, keyring: Keyring, entry: Entry): Promise<Beginning> {
  const waiting = await readWaiting(tx, entry);
  if (!waiting) return { known: (await readAnswer(tx, entry.ownerId, entry.call))?.result ?? 'failed' };
  const { node, item } = waiting;
  const connection = await openSecret(tx, keyring, node.secret);
  const request = connection && externalRequest(node, connection.url, templateValues(item));
  // What is not sent takes no turn.
  if (request && (await takeTurn(tx, entry)) !== null) return { waits: true };
  const idempotencyKey = randomUUID();
  const unsent = connection ? 'failed' : 'skipped';
  const result = connection && request ? null : unsent;
  const isBegun = await beginCall(tx, { ...entry, nodeId: node.id, idempotencyKey, result });
  if (!isBegun) return foreign(tx, entry, node);
  if (!connection || !request) return { known: result ?? 'failed' };
  return { send: { ...request, headerName: connection.headerName, headerValue: connection.headerValue, idempotencyKey } };
}
async function foreign(tx: Tx, { ownerId, call }: Entry, { timeoutSeconds }: ExternalNode): Promise<Beginning> {
  const answer = await readAnswer(tx, ownerId, call);
  return answer ? { known: answer.result } : { foreignSeconds: timeoutSeconds };
}

const LATE: CallAnswer = { result: 'failed', data: null };
/**
 * Stores an answer that the flow still waits for, and wakes its run, which may be gone; a late one is dropped. Locks the owner first, as
 * its transition does.
 */
export async function recordAnswer(tx: Tx, entry: Entry, answer: CallAnswer): Promise<void> {
  const owner = await lockOwner(tx, entry.ownerId);
  // A late one has ended too: its turn is the next one's.
  await settleCall(tx, entry.ownerId, entry.call, owner && awaiting(owner.state, entry.call) ? answer : LATE);
  await callNext(tx);
  if (owner && awaiting(owner.state, entry.call)) enqueueWake(tx, owner.run);
}
async function lockOwner({ sql, storeId }: Tx, ownerId: string): Promise<{ readonly state: FlowState; readonly run: RunIds } | null> {
  if (isGroup(ownerId)) {
    const [row] = await sql<{ state: FlowState; no: string; flow_key: string }>`
      SELECT flow_state AS state, order_no AS no, flow_key FROM flow_group
       WHERE store_id = ${storeId} AND group_id = ${ownerId} FOR UPDATE`;
    return row ? { state: row.state, run: orderGroupRun({ storeId, groupId: ownerId, orderItemNo: row.no, flowKey: row.flow_key }) } : null;
  }
  const [row] = await sql<{ state: FlowState; no: string }>`
    SELECT flow_state AS state, order_item_no AS no FROM order_item
     WHERE store_id = ${storeId} AND order_item_id = ${ownerId} FOR UPDATE`;
  return row ? { state: row.state, run: orderItemRun({ storeId, orderItemId: ownerId, orderItemNo: row.no }) } : null;
}

/** A call of the store has ended, whatever became of it: the run of the first one that waits is woken. */
export async function callNext(tx: Tx): Promise<void> {
  const ownerId = await nextInTurn(tx);
  if (ownerId === null) return;
  const { sql, storeId } = tx;
  const [row] = await sql<{ no: string; flow_key: string | null }>`
    SELECT order_item_no AS no, NULL AS flow_key FROM order_item WHERE store_id = ${storeId} AND order_item_id = ${ownerId}
     UNION ALL SELECT order_no, flow_key FROM flow_group WHERE store_id = ${storeId} AND group_id = ${ownerId}`;
  if (!row) return;
  const { no: orderItemNo, flow_key: flowKey } = row;
  const run = flowKey
    ? orderGroupRun({ storeId, groupId: ownerId, orderItemNo, flowKey })
    : orderItemRun({ storeId, orderItemId: ownerId, orderItemNo });
  enqueueWake(tx, run);
}
const isGroup = (ownerId: string): boolean => ownerId.startsWith('grp_');
const awaiting = ({ positions, done }: FlowState, call: string) => (done ? undefined : positions.find((one) => one.call === call));

interface Waiting {
  readonly node: ExternalNode;
  readonly item: OrderItem;
}
/** The node that awaits this call; null when nothing does. Its owner stays where it is until the end of the transaction. */
async function readWaiting(tx: Tx, { ownerId, call }: Entry): Promise<Waiting | null> {
  const { em, storeId } = tx;
  const lockMode = LockMode.PESSIMISTIC_READ;
  const group = isGroup(ownerId) ? await em.findOne(FlowGroupEntity, { storeId, groupId: ownerId }, { lockMode }) : null;
  const items = group
    ? await em.find(OrderItemEntity, { storeId, groupId: ownerId }, { orderBy: { position: 'asc' } })
    : await em.find(OrderItemEntity, { storeId, orderItemId: ownerId }, { lockMode });
  const state = group?.flowState ?? items[0]?.storedState;
  const position = state && awaiting(state, call);
  if (!position) return null;
  const item = itemOfTemplates(items, state);
  const drawn = group ?? item;
  await loadFlows(tx, [drawn]);
  if (group) setState(item, state);
  const { node } = locationOf(flowOf(drawn), position);
  return node.type === 'external' ? { node, item } : null;
}
