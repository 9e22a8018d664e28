/** Whether a provider accepts our credentials: what an answer of 401 or 403 means, and which set is tried next. */
import type { ProviderAnswer } from './answers.ts';
import type { PaymentProvider } from './port.ts';

/** The time of the check of a set that a confirm may have been refused with. */
export const VERIFY_MS = 3000;

/**
 * A confirm that was answered with 403: a buyer's browser may have caused it, with the key of another's payment. Our credentials are
 * refused only if the provider says so without the buyer; where it does not say, whether anything was charged is left to a reading.
 */
export async function checkRefusal(provider: PaymentProvider, answer: ProviderAnswer, limitMs: number): Promise<ProviderAnswer> {
  if (!answer.isForbidden) return answer;
  const verification = limitMs < 1 ? 'UNAVAILABLE' : await provider.verify(Math.min(Math.floor(limitMs), VERIFY_MS));
  if (verification === 'UNAUTHORIZED') return { ...answer, isUnauthorized: true };
  return verification === 'VERIFIED' ? answer : { ...answer, result: 'UNKNOWN' };
}

/**
 * The answer under the first credentials that the provider accepts; UNAUTHORIZED where it accepts none. Other sets than the attempt's
 * own may be of another account, which knows no such payment, or another: that proves nothing. Nor does what they say tell anything of its
 * own set.
 */
export async function firstAccepted(
  providers: readonly PaymentProvider[],
  request: (provider: PaymentProvider) => Promise<ProviderAnswer>,
  { isOwnSetUnknown }: { readonly isOwnSetUnknown: boolean },
): Promise<ProviderAnswer> {
  let refused: ProviderAnswer | null = null;
  for (const provider of providers) {
    const answer = await request(provider);
    const isForeign = isOwnSetUnknown || refused !== null;
    const provesNothing = isForeign && (answer.isNotFound || answer.result === 'FOREIGN');
    if (!answer.isUnauthorized && !provesNothing) return isForeign ? withoutChannel(answer) : answer;
    refused ??= answer;
  }
  return { ...refused!, result: 'UNAUTHORIZED' };
}
const withoutChannel = ({ isOwnChannel: _own, ...answer }: ProviderAnswer): ProviderAnswer => answer;
