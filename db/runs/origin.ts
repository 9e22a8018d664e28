/** The origin of what a transition changes, for the audit log, and the record of a command's request. */
import { type Change, changesBetween, type Listing } from '../../domain/audit/changes.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { CommandEnvelope, CommandOrigin, RunEvent, WorkflowType } from '../../workflows/kernel/messages.ts';
import { recordRequest } from '../audit/commands.ts';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import { type ChangeOrigin, setOrigin, type Tx } from '../kernel/tx.ts';

/** What the sender of a command typed: it passes Temporal sealed. */
export interface Typed {
  /** The name that an agent's program gave itself. */
  readonly name: string | null;
  readonly idempotencyKey: string | null;
}
const NOTHING: Typed = { name: null, idempotencyKey: null };

const locationOf = (storeId: string, requestId: string | null): SealLocation => ({
  store: storeId,
  table: 'audit_request',
  row: requestId ?? '-',
  column: 'typed',
});
/** Undefined when there is nothing to seal. */
export const sealTyped = (keyring: Keyring, storeId: string, requestId: string | null, typed: Typed): string | undefined =>
  typed.name === null && typed.idempotencyKey === null ? undefined : keyring.seal(JSON.stringify(typed), locationOf(storeId, requestId));
const openTyped = (keyring: Keyring, storeId: string, { sealed, requestId }: CommandOrigin): Typed =>
  sealed === undefined ? NOTHING : (JSON.parse(keyring.open(sealed, locationOf(storeId, requestId))) as Typed);

/** That of a command is its sender's request; a deadline, a load and the outcome of a call have none: SYSTEM. */
export function originOf<T extends WorkflowType>(event: RunEvent<T>, name: string | null = null): ChangeOrigin | undefined {
  const sent = sentBy(event);
  if (!sent) return undefined;
  const { actor, requestId, approvalId, metadata } = sent;
  return { actor: actor && { ...actor, name }, requestId, approvalId, metadata };
}
const sentBy = <T extends WorkflowType>(event: RunEvent<T>): CommandOrigin | undefined =>
  event.type === 'command' ? event.command.origin : undefined;

/**
 * Gives the transaction the origin of the event, before anything is changed, and returns it with what its sender typed. Without a sender it
 * keeps the one that it was opened with, but for a business time (`at`) that only the transition knows.
 */
export async function passOrigin<T extends WorkflowType>(
  tx: Tx,
  event: RunEvent<T>,
  at: number,
  keyring: Keyring,
): Promise<{ readonly origin: ChangeOrigin | undefined; readonly typed: Typed }> {
  const sent = sentBy(event);
  const typed = sent ? openTyped(keyring, tx.storeId, sent) : NOTHING;
  // The activity has opened the transaction with the same, but for the name.
  const origin = tx.origin && typed.name === null ? tx.origin : (originOf(event, typed.name) ?? tx.origin);
  if (origin !== tx.origin || at !== tx.at) await setOrigin(tx, at, origin);
  return { origin, typed };
}

/** What GET shows of a row before and after its transition. */
export interface Views {
  readonly before: object;
  readonly after: object;
  readonly listing: Listing;
}

interface Carried {
  readonly entityId: string;
  readonly typed: Typed;
  readonly views: Views | null;
  /** It was carried out before, for another request. */
  readonly isRepeated: boolean;
}
/**
 * Records the request of a command that was carried out; in a bulk, its part of it. TEMPORARILY_UNAVAILABLE when the request is recorded
 * already: it was answered as out of time, and what its record says is what happens.
 */
export async function recordCommand(tx: Tx, { origin }: CommandEnvelope, { entityId, typed, views, isRepeated }: Carried): Promise<void> {
  if (!origin?.request || !origin.actor || origin.requestId === null) return;
  const { actor, requestId, approvalId, metadata, request } = origin;
  const changes = views && !isRepeated ? changesBetween(views.before, views.after, views.listing) : [];
  const { action, target, statusCode, traceId, isPart } = request;
  const record = {
    requestId,
    actor: { ...actor, name: typed.name },
    action,
    target,
    outcome: 'SUCCEEDED',
    statusCode,
    errorCode: null,
    traceId,
    idempotencyKey: typed.idempotencyKey,
    approvalId,
  } as const;
  const lines: readonly Change[] = isPart ? changes.map((change) => ({ ...change, field: `${entityId}.${change.field}` })) : changes;
  const isNew = await recordRequest(tx, { ...record, metadata: { ...metadata, changes: lines, ...(isRepeated && { replayed: true }) } });
  if (!isNew && !isRepeated && !isPart) throw new Fault('TEMPORARILY_UNAVAILABLE');
  if (!isNew && isPart) await tx.sql`SELECT append_audit_changes(${requestId}, ${JSON.stringify(lines)}::jsonb)`;
}
