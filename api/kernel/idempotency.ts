/** Idempotency keys at the edge: 1..255 printable ASCII, one store and principal, 24 hours (D26, D78). */
import { createHash } from 'node:crypto';
import type { RouterContext } from '@koa/router';
import { hashKey, type OperationKey, type StoredReply } from '../../db/runs/operations.ts';
import type { Keyring, SealLocation } from '../../db/kernel/keyring.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { Caller, Endpoint } from './endpoint.ts';

/** The key a client sent, quoted or bare; null when it sent none. A bad one is added to the request's problems. */
export function sentKey(ctx: RouterContext, problems: FieldError[]): string | null {
  if (ctx.req.headers['idempotency-key'] === undefined) return null;
  const key = ctx.get('idempotency-key').replace(/^"(.*)"$/, '$1');
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    problems.push({ field: 'Idempotency-Key', code: 'INVALID', message: '1 to 255 printable ASCII characters' });
  return key;
}

/**
 * Whose key it is where nobody has said who they are (X15): the order in the path, else the e-mail or contact of the body, hashed
 * in lower case. Never an address, which strangers share. Null: nobody's, so a key only has to be well-formed.
 */
export function subjectOf(params: Readonly<Record<string, string>>, body: unknown): string | null {
  if (params['orderId'] !== undefined) return `order/${params['orderId']}`;
  const { email, contact } = (body ?? {}) as { readonly email?: unknown; readonly contact?: unknown };
  const named = [email, contact].find((value) => typeof value === 'string');
  return named === undefined ? null : `contact/${createHash('sha256').update(named.toLowerCase()).digest('hex')}`;
}

export interface Sent {
  readonly ctx: RouterContext;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly body: unknown;
  readonly key: string | null;
}

/** What the client asked for, whichever of its addresses it used. */
export function operationOf({ ctx, endpoint, caller, body, key }: Sent, keyring: Keyring): OperationKey {
  const asked = JSON.stringify([endpoint.id, canonical(ctx.params, keyring), ctx.querystring, canonical(body ?? null, keyring)]);
  const fingerprint = createHash('sha256').update(asked).digest('hex');
  const sent = key ?? caller.requestId;
  return { principal: caller.principal, key: endpoint.change === 'workflow' ? hashKey(sent) : sent, id: endpoint.id, fingerprint };
}

const isPassword = (name: string) => /password$/i.test(name);

/**
 * Objects with their keys in order, so that the same request has the same fingerprint however it was written. A password is in it as a
 * digest under our key: whoever reads the table could try passwords at the speed of SHA-256 otherwise, past their argon2id.
 */
function canonical(value: unknown, keyring: Keyring): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, keyring));
  if (typeof value !== 'object' || value === null) return value;
  const kept = (name: string, item: unknown) =>
    isPassword(name) ? keyring.digest(JSON.stringify(item)).toString('base64url') : canonical(item, keyring);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, kept(name, item)]),
  );
}

/** A reply with a secret is kept sealed until its key expires. */
export function sealReply(reply: StoredReply, secret: boolean, keyring: Keyring, place: SealLocation): StoredReply {
  return secret ? { ...reply, body: { sealed: keyring.seal(JSON.stringify(reply.body), place) } } : reply;
}
export function reveal(reply: StoredReply, secret: boolean, keyring: Keyring, place: SealLocation): StoredReply {
  const sealed = (reply.body as { sealed?: unknown } | null)?.sealed;
  return secret && typeof sealed === 'string' ? { ...reply, body: JSON.parse(keyring.open(sealed, place)) as unknown } : reply;
}
export const replyPlace = (storeId: string, key: string): SealLocation => ({
  store: storeId,
  table: 'operation',
  row: key,
  column: 'body',
});
