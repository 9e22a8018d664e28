import type { Acting, ActorRef } from '../../domain/identity/actors.ts';
import type { Proof } from './bearer.ts';

/**
 * The actor of a valid token: a person at the console or the issuer of a plain API token is a USER, an agent's token an AGENT, a server's
 * client and a login through a registered client an APP. Null without a token of ours, and for buyers.
 */
export function actorOf({ claims, apiToken }: Pick<Proof, 'claims' | 'apiToken'>): Acting | null {
  if (apiToken) {
    const { tokenId, userId, purpose } = apiToken;
    if (purpose === 'agent') return acting({ type: 'AGENT', id: tokenId }, { onBehalfOf: userId });
    return acting({ type: 'USER', id: userId }, { via: 'API_TOKEN' });
  }
  if (!claims || claims.use === 'member') return null;
  const userId = (claims.use === 'user' ? claims.userId : claims.person?.userId) ?? null;
  if (claims.origin === 'console' && userId !== null) return acting({ type: 'USER', id: userId });
  return acting({ type: 'APP', id: claims.clientId }, { onBehalfOf: userId });
}

const acting = (ref: ActorRef, more: Partial<Pick<Acting, 'via' | 'onBehalfOf'>> = {}): Acting => ({
  ...ref,
  name: null,
  via: null,
  onBehalfOf: null,
  ...more,
});
