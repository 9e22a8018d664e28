/**
 * What tokens say whose signature has been verified. A client sends the same token with each of its requests, and verifying RSA costs a
 * read more than its query. A token is kept as its digest only.
 */
import { hash } from 'node:crypto';

/** Some 5 MB. */
const MAX_TOKENS = 5000;

export class Verified<Claims> {
  readonly #claims = new Map<string, Claims>();

  find(token: string, audience: string): Claims | undefined {
    return this.#claims.get(keyOf(token, audience));
  }

  /** With more than it holds, the first one is forgotten: its next use verifies it again. */
  add(token: string, audience: string, claims: Claims): void {
    if (this.#claims.size >= MAX_TOKENS) this.#claims.delete(this.#claims.keys().next().value!);
    this.#claims.set(keyOf(token, audience), claims);
  }
}
/** Of the whole token: every part of it was verified. */
const keyOf = (token: string, audience: string): string => `${hash('sha256', token, 'base64')} ${audience}`;
