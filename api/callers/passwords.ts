/**
 * Passwords: argon2id, 7 MiB, five passes: by OWASP's list as strong as 19 MiB and two, for less processor time, because it touches less
 * memory (docs/contract.md#customers). A stored hash is verified with the parameters that it names. Each computation occupies one of the
 * four threads of libuv's pool, so at most three run: one thread stays free for other work, for example the verification of tokens.
 */
import { hash, verify } from '@node-rs/argon2';
import { type Limit, resetUses, releaseUse, consumeUse } from '../../db/limits/commands.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import type { Caller } from '../declare/caller.ts';
import { type Stranger, FairLane } from '../web/fairLane.ts';
import { Lane } from '../web/lanes.ts';
import { type LimitedCall, refuseUntil } from '../web/limits.ts';
import { Windows } from '../web/windows.ts';

const ARGON2 = { algorithm: 2, memoryCost: 7168, timeCost: 5, parallelism: 1 } as const;

/** Addresses that sent a wrong password within a minute: where a store's line is full, they leave it for others. */
const wrong = new Windows();

/**
 * Operations with passwords, from the request to the response (X12): twenty under way, two of them of an address, where eighteen more wait;
 * ten of a store, where fifty wait. A verification takes some 30 ms, so a store's line is through within two seconds.
 */
export const passwordCalls = new FairLane('password_calls', {
  slots: 20,
  ofStore: 10,
  storeLine: 50,
  ofAddress: 2,
  addressLine: 18,
  waiting: 1000,
  waitMs: 5000,
  yields: (address) => wrong.has(address, performance.now()),
});
/** Only of operations that are under way: there is always room to wait. */
const verifying = new Lane('password_verifying', { slots: 1, waiting: 20 });
/** Queues of their own: logins and lookups cannot occupy the slots of buyers who pay, and sign-ups take at most one of them. */
const HASHING = { ofStore: 2, storeLine: 500, ofAddress: 20, addressLine: 80, waiting: 1000, waitMs: 10_000 } as const;
const orderHashing = new FairLane('password_order_hashing', { ...HASHING, slots: 2 });
const signupHashing = new FairLane('password_signup_hashing', { ...HASHING, slots: 1, storeLine: 100 });

/** Whoever asks for a hash. */
type HashingCall = Pick<Caller, 'storeId' | 'clientAddress'> & { readonly gone: () => AbortSignal };
const strangerOf = ({ storeId, clientAddress, gone }: HashingCall): Stranger => ({
  store: storeId,
  address: clientAddress,
  gone: gone(),
});

/** Hashes the order password of a payment. */
export const hashOrderPassword = (password: string, call: HashingCall): Promise<string> =>
  orderHashing.run(strangerOf(call), () => hash(password, ARGON2));
/** Hashes the password of a sign-up. */
export const hashNewPassword = (password: string, call: HashingCall): Promise<string> =>
  signupHashing.run(strangerOf(call), () => hashOrderPassword(password, call));

/** A hash of a random password: an unknown account takes as long as a wrong password. */
let unknownUserHash: Promise<string> | undefined;
async function isPassword(password: string, storedHash: string | null): Promise<boolean> {
  unknownUserHash ??= hash(crypto.randomUUID(), ARGON2);
  const against = storedHash ?? (await unknownUserHash);
  return (await verify(against, password)) && storedHash !== null;
}

interface PasswordCheck {
  readonly password: string;
  /** Null: no such account or order; takes as long. */
  readonly storedHash: string | null;
  /** False when another part of the credentials is wrong: counts as a wrong password. */
  readonly isRight?: boolean;
  /** A right password resets the first limit, and releases this use of the others. */
  readonly limits: readonly [Limit, ...Limit[]];
}
/**
 * Verifies a password, in the queue. It is counted as wrong before the verification, in Postgres, so that concurrent guesses cannot exceed
 * the limit. Over a limit: TOO_MANY_REQUESTS with `Retry-After`, whatever the password is.
 */
export function verifyPassword(
  call: LimitedCall & Pick<Caller, 'clientAddress'>,
  { password, storedHash, isRight = true, limits }: PasswordCheck,
): Promise<boolean> {
  return verifying.run(async () => {
    const now = call.deps.clock.now();
    const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTenant(call.deps.orm, realTime(call.storeId, now), REQUEST, work);
    refuseUntil('passwords', await inTx((tx) => consumeUse(tx, limits)), now);
    const verdict = (await isPassword(password, storedHash)) && isRight;
    if (!verdict) {
      wrong.add(call.clientAddress, performance.now());
      return false;
    }
    const [own, ...others] = limits;
    await inTx(async (tx) => {
      await resetUses(tx, own);
      await releaseUse(tx, others, now);
    });
    return true;
  });
}
