import { createHash } from 'node:crypto';

/**
 * The principal of an anonymous request (X15): the order in the path, or else the e-mail or contact of the body, hashed in lower case.
 * Never the client address, which strangers share. Null: no principal, so that the key has no effect.
 */
export function subjectOf(params: Readonly<Record<string, string>>, body: unknown): string | null {
  if (params['orderId'] !== undefined) return `order/${params['orderId']}`;
  const { email, contact } = (body ?? {}) as { readonly email?: unknown; readonly contact?: unknown };
  const named = [email, contact].find((value) => typeof value === 'string');
  return named === undefined ? null : `contact/${createHash('sha256').update(named.toLowerCase()).digest('hex')}`;
}
