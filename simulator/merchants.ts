/** Every well-formed key is a merchant's: its name is in it. A key can be revoked, out of order or slow. */
export type Provider = 'tosspayments' | 'portone';
export type Environment = 'TEST' | 'LIVE';

export interface Key {
  readonly pg: Provider;
  /** As the key says it: `v` and digits at its end are a reissued key of the same merchant. */
  readonly name: string;
  readonly merchant: string;
  /** Null: the key is for both. */
  readonly environment: Environment | null;
}
const STATES = ['OK', 'REVOKED', 'DOWN', 'SLOW'] as const;
export type KeyState = (typeof STATES)[number];
export const isKeyState = (value: unknown): value is KeyState => STATES.includes(value as KeyState);
export const isProvider = (value: unknown): value is Provider => value === 'tosspayments' || value === 'portone';

const merchantOf = (name: string): string => name.replace(/(?<=.)v\d+$/, '');
type KeyOf<E extends Environment | null> = Key & { readonly environment: E };
const keyOf = <E extends Environment | null>(pg: Provider, name: string | undefined, environment: E): KeyOf<E> | null =>
  name === undefined ? null : { pg, name, merchant: merchantOf(name), environment };

/** Of a secret key (`sk`) or client key (`ck`). */
export function tossKey(kind: 'sk' | 'ck', text: string): KeyOf<Environment> | null {
  const [, prefix, name] = new RegExp(`^(test|live)_${kind}_([A-Za-z0-9]{8,100})$`).exec(text) ?? [];
  return keyOf('tosspayments', name, prefix === 'live' ? 'LIVE' : 'TEST');
}
export const portoneKey = (secret: string): Key | null => keyOf('portone', /^portone-([\w.-]+)-secret$/.exec(secret)?.[1], null);
/** A PortOne store at a channel; the channel's key has the environment. */
export const portoneStore = (storeId: string, channelKey: string): KeyOf<Environment> | null =>
  keyOf('portone', /^store-([\w.-]+)$/.exec(storeId)?.[1], channelKey.startsWith('channel-key-live-') ? 'LIVE' : 'TEST');
/** Whether a request about this store may use the key. */
export const isStoreOf = (key: Key, storeId: unknown): boolean =>
  storeId === undefined || (typeof storeId === 'string' && portoneStore(storeId, '')?.merchant === key.merchant);

/** The states of keys by provider and name. */
export class KeyStates {
  readonly #states = new Map<string, KeyState>();

  set(pg: Provider, name: string, state: KeyState): void {
    this.#states.set(`${pg}/${name}`, state);
  }
  of({ pg, name }: Key): KeyState {
    return this.#states.get(`${pg}/${name}`) ?? 'OK';
  }
}
