/** Idempotency keys of requests: 1 to 255 printable ASCII characters, per store and principal, for 24 hours (D26). */
import { createHash } from 'node:crypto';
import { hashKey, type OperationKey, type StoredReply } from '../../db/runs/operations.ts';
import type { Keyring, SealLocation } from '../../db/kernel/keyring.ts';
import { canonical } from '../../domain/kernel/canonical.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { subjectOf } from '../callers/principal.ts';
import type { Caller } from '../declare/caller.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Incoming } from '../declare/incoming.ts';

/** The Idempotency-Key, quoted or not; null when none was sent. A malformed one is added to `problems`. */
export function sentKey({ header }: Pick<Incoming, 'header'>, problems: FieldError[]): string | null {
  const sent = header('idempotency-key');
  if (sent === undefined) return null;
  const key = sent.replace(/^"(.*)"$/, '$1');
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    problems.push({ field: 'Idempotency-Key', code: 'INVALID', message: '1 to 255 printable ASCII characters' });
  return key;
}

interface Sent {
  readonly incoming: Incoming;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly body: unknown;
  readonly key: string | null;
}

/**
 * The key and fingerprint of a request, the same for all aliases of its path. The key has one form whatever the operation changes, here or
 * through a run, so that a caller's key is one (D94). A read without a key has none: it is
 * repeated, never replayed.
 */
export function operationOf(sent: Sent, keyring: Keyring): OperationKey {
  const { endpoint, caller, key, incoming } = sent;
  const { principal, requestId } = caller;
  const clientKey = key ?? requestId;
  const fingerprint = key === null && endpoint.change === 'none' ? '' : fingerprintOf(sent, keyring);
  const { customerId } = incoming.params;
  return { principal, key: hashKey(clientKey), id: endpoint.id, fingerprint, customerId };
}

function fingerprintOf({ incoming, endpoint, body }: Omit<Sent, 'caller' | 'key'>, keyring: Keyring): string {
  const request = JSON.stringify([
    endpoint.id,
    canonical(incoming.params, masked(keyring)),
    incoming.querystring,
    canonical(body ?? null, masked(keyring)),
    // Where it counts, another If-Match is another request (G20).
    ...(endpoint.ifMatch && incoming.header('if-match') !== undefined ? [incoming.header('if-match')] : []),
  ]);
  return createHash('sha256').update(request).digest('hex');
}

/**
 * The request of a guest whose order has been found by what the path has, its id or its number: both are the same principal, and the same
 * request (X15).
 */
export function ofOrder<R extends GuestRequest>(request: R, orderId: string): R {
  const { deps, endpoint, input } = request;
  const { params } = request.incoming;
  const incoming = { ...request.incoming, params: { ...params, orderId } };
  // A guest's session comes before the order.
  const isOfOrder = request.caller.principal === subjectOf(params, null);
  const principal = isOfOrder ? subjectOf(incoming.params, null)! : request.caller.principal;
  const fingerprint = fingerprintOf({ incoming, endpoint, body: input.body }, deps.keyring);
  return { ...request, incoming, caller: { ...request.caller, principal }, operation: { ...request.operation, principal, fingerprint } };
}
interface GuestRequest {
  readonly incoming: Incoming;
  readonly endpoint: Endpoint;
  readonly deps: { readonly keyring: Keyring };
  readonly caller: Caller;
  readonly input: { readonly body: unknown };
  readonly operation: OperationKey;
}

const isPassword = (name: string) => /password$/i.test(name);

/**
 * A password is replaced by a keyed digest: otherwise whoever reads the table could guess passwords at the speed of SHA-256, bypassing
 * argon2id.
 */
const masked = (keyring: Keyring) => (name: string, item: unknown) =>
  isPassword(name) ? keyring.digest(JSON.stringify(item)).toString('base64url') : item;

/** Encrypts the stored reply of an operation with a secret. */
export function sealReply(reply: StoredReply, secret: boolean, keyring: Keyring, location: SealLocation): StoredReply {
  return secret ? { ...reply, body: { sealed: keyring.seal(JSON.stringify(reply.body), location) } } : reply;
}
export function reveal(reply: StoredReply, secret: boolean, keyring: Keyring, location: SealLocation): StoredReply {
  const sealed = (reply.body as { sealed?: unknown } | null)?.sealed;
  return secret && typeof sealed === 'string' ? { ...reply, body: JSON.parse(keyring.open(sealed, location)) as unknown } : reply;
}
export const replyLocation = (storeId: string, key: string): SealLocation => ({
  store: storeId,
  table: 'operation',
  row: key,
  column: 'body',
});
