/** What our tokens say, and the keys that sign them (callers/tokens.ts). */
import type { JWK } from 'jose';

/** The kind of login. `console`: a person at the console client; `app`: a person at another client; `m2m`: client credentials. */
export type Origin = 'console' | 'app' | 'm2m' | 'storefront';

/** A person's token before a store is chosen. */
export interface UserClaims {
  readonly use: 'user';
  readonly userId: string;
  readonly clientId: string;
  readonly loginId: string;
  readonly origin: Origin;
  readonly scopes: readonly string[];
  /** `auth_time` of the provider, in seconds since 1970. */
  readonly authTime: number;
  /** The only address that takes it (RFC 8707), its `aud`; null: the API. */
  readonly resource: string | null;
}
/** A store's token: a server's, or a person's after the exchange. */
export interface StoreClaims {
  readonly use: 'store';
  readonly storeId: string;
  readonly clientId: string;
  readonly origin: Origin;
  readonly scopes: readonly string[];
  readonly person: MemberPerson | null;
}
/** A person in a store. */
export interface MemberPerson extends Pick<UserClaims, 'userId' | 'loginId' | 'authTime'> {
  /** The start of the membership, in ms: the token is invalid after it has ended, also after joining again. Null in old tokens. */
  readonly joinedAt: number | null;
}
/** A buyer's token. */
export interface MemberClaims {
  readonly use: 'member';
  readonly storeId: string;
  readonly customerId: string;
  /** The client that obtained the token by delegation; null after a login of the buyer. */
  readonly clientId: string | null;
  /** The token generation of the customer; 0 in old tokens. */
  readonly generation: number;
}
export type Claims = UserClaims | StoreClaims | MemberClaims;

export interface TokenKeys {
  sign(claims: Claims, realNow: number, seconds?: number): Promise<string>;
  /** The claims of a valid token, or null. `iss` is not checked: processes may have different public URLs, and our keys suffice. */
  verify(token: string, realNow: number): Promise<Claims | null>;
  /** The same, and the claims of a token that was ours until it expired. `resource`: of tokens for that address alone. */
  read(token: string, realNow: number, resource?: string): Promise<{ readonly claims: Claims; readonly isExpired: boolean } | null>;
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Stops reloading. */
  close(): void;
}
