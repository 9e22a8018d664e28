/** Encryption of secrets at rest: AES-256-GCM under a named key, with tenant, table, row and column as additional data. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The additional authenticated data of a ciphertext: it cannot be decrypted elsewhere. `store` is `-` for what has no tenant. */
export interface SealLocation {
  readonly store: string;
  readonly table: string;
  readonly row: string;
  readonly column: string;
}

export interface Keyring {
  /** Encrypts under the first key: `v1.<kid>.<base64url of iv, tag, ciphertext>`. */
  seal(plain: string, location: SealLocation): string;
  /** Decrypts; throws when the text was changed, belongs to another location, or was encrypted under an unknown key. */
  open(sealed: string, location: SealLocation): string;
  /** Whether a text is encrypted under the first key. */
  isCurrent(sealed: string): boolean;
  /** A keyed digest (HMAC), stable while the first key is the same: without the key a text cannot be guessed from it. */
  digest(text: string): Buffer;
}

/** `kid:base64key[,kid:base64key …]`, 32 bytes each; the first encrypts, all decrypt. */
export function createKeyring(keys: string): Keyring {
  const ring = new Map(
    keys.split(',').map((entry) => {
      const [kid = '', encoded = ''] = entry.trim().split(':');
      const key = Buffer.from(encoded, 'base64');
      if (!/^[\w-]{1,32}$/.test(kid) || key.length !== 32)
        throw new Error('SEALING_KEYS must be kid:base64key[,kid:base64key], each key 32 bytes.');
      return [kid, key] as const;
    }),
  );
  const [current] = ring.keys();
  const bound = (kid: string, { store, table, row, column }: SealLocation) => Buffer.from([kid, store, table, row, column].join('\u0000'));
  const keyOf = (kid: string) => {
    const key = ring.get(kid);
    if (!key) throw new Error(`No sealing key ${kid}`);
    return key;
  };
  const digestKey = createHmac('sha256', keyOf(current!)).update('digest').digest();
  return {
    digest: (text) => createHmac('sha256', digestKey).update(text).digest(),
    isCurrent: (sealed) => sealed.startsWith(`v1.${current!}.`),
    seal(plain, location) {
      const kid = current!;
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(kid), iv).setAAD(bound(kid, location));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${kid}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(sealed, location) {
      const [version, kid = '', encoded = ''] = sealed.split('.');
      if (version !== 'v1') throw new Error('Unknown sealing version');
      const bytes = Buffer.from(encoded, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', keyOf(kid), bytes.subarray(0, 12)).setAAD(bound(kid, location));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

/** Hash of a random secret (client secrets, cart tokens): random input needs no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compares in constant time. */
export const isSecret = (secret: string, hash: Uint8Array): boolean => timingSafeEqual(hashSecret(secret), hash);
