import { openSession } from '../../db/identity/sessions.ts';
import { korean } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Timestamp, Type } from '../declare/schema.ts';

export const anonymous = endpoint({
  id: 'auth.anonymous',
  route: 'POST /storefront/v1/auth/anonymous',
  summary: 'Open a guest session; its token goes into X-Cart-Token',
  access: 'storefront',
  change: 'here',
  // No principal owns a key yet: it only has to be well-formed (X15).
  idempotent: true,
  body: closed({}),
  status: 201,
  data: closed({ cartToken: Type.String(), expiresAt: Timestamp }, { title: 'GuestSession' }),
}).handle(async ({ tx }) => {
  const { cartToken, expiresAt } = await openSession(tx);
  return { cartToken, expiresAt: korean(expiresAt) };
});
