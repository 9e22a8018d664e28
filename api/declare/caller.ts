/** Who sends a request, and when. */
import type { Customer } from '../../db/customers/queries.ts';
import type { ChangeOrigin } from '../../db/kernel/tx.ts';
import type { TokenRef } from '../../domain/approvals/rules.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import type { Role } from '../../domain/identity/rules.ts';
import type { ApiDeps } from './deps.ts';
import type { Origin, UserClaims } from './tokens.ts';

/** A request of which no more than its head has been read. */
export interface Head extends Caller {
  readonly deps: ApiDeps;
  /** By lower-case name; undefined when it was not sent. */
  readonly header: (name: string) => string | undefined;
}

/** The caller, the store and the time of a request. */
export interface Caller {
  readonly storeId: string;
  readonly sandbox: boolean;
  /** The owner of idempotency keys: client, user, customer or guest session; without one, the subject of the request. */
  readonly principal: string;
  /** The client address; IPv6 by /64. Only for rate limits. */
  readonly clientAddress: string;
  readonly sessionId: string | null;
  /** Business time in milliseconds: real time plus the store's clock offset. */
  readonly at: number;
  readonly realNow: number;
  /** Of its changes, for the audit log. */
  readonly origin?: ChangeOrigin | undefined;
  readonly requestId: string;
  /** A buyer who has logged in; null for guests and for the management API. */
  readonly customer: Customer | null;
  /** A new cart token that replaces an expired one. */
  readonly renewedToken: string | null;
  /** A guest session whose expiry this request extends, when it succeeds. */
  readonly staleSessionId: string | null;
  /** The current scopes of the token; empty for buyers. */
  readonly scopes: readonly string[];
  /** The person's current role; null without a person. */
  readonly role: Role | null;
  /** How they authenticated; null before a store is chosen, and for buyers. */
  readonly tokenOrigin: Origin | 'token' | 'agent' | null;
  /** What must still live when a request that waits for an approval is carried out; null for buyers. */
  readonly tokenRef: TokenRef | null;
  /** Who acts, for records; null for buyers. */
  readonly actor: Acting | null;
  /** An AI agent's request: by its token, its header, or through `/mcp` (G1). */
  readonly isAgent: boolean;
  /** The person behind the token; null for servers, API tokens and buyers. */
  readonly person: Pick<UserClaims, 'userId' | 'loginId' | 'authTime'> | null;
  /** Before a store is chosen: the store of the person's client; null: all of the person's stores. */
  readonly clientStoreId: string | null;
}
