/**
 * What tokens say whose signature has been verified. A client sends the same token with each of its requests, and verifying RSA costs a
 * read more than its query. A token is kept as its digest only.
 */
import { hash } from 'node:crypto';

/** Some 5 MB. */
const MOST = 5000;

export class Verified<Said> {
  readonly #said = new Map<string, Said>();

  find(token: string, audience: string): Said | undefined {
    return this.#said.get(keyOf(token, audience));
  }

  /** With more than it holds, the first one is forgotten: its next use verifies it again. */
  add(token: string, audience: string, said: Said): void {
    const [first] = this.#said.size >= MOST ? this.#said.keys() : [];
    if (first !== undefined) this.#said.delete(first);
    this.#said.set(keyOf(token, audience), said);
  }
}
/** Of the whole token: every part of it was verified. */
const keyOf = (token: string, audience: string): string => `${hash('sha256', token, 'base64')} ${audience}`;
