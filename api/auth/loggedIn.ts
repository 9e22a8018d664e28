import type { Holder } from '../../db/customers/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { MEMBER_SECONDS } from '../callers/tokens.ts';

/** A buyer's token, valid for 30 minutes of real time. */
export async function loggedIn({ keys }: ApiDeps, storeId: string, { customerId, generation }: Holder, realNow: number) {
  const claims = { use: 'member', storeId, customerId, generation, clientId: null } as const;
  const accessToken = await keys.sign(claims, realNow, MEMBER_SECONDS);
  return { accessToken, tokenType: 'Bearer' as const, expiresIn: MEMBER_SECONDS, customerId };
}
