/**
 * Passwords that people choose: argon2id, 19 MiB, two passes (docs/contract.md#customers). Each works on a thread of Node's
 * pool of four, so three at most are at work: one stays free for whatever else waits there, tokens that are verified among it.
 */
import { hash, verify } from '@node-rs/argon2';
import { type Limit, forgetUses, giveBackUse, takeUse } from '../../db/limits/commands.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Lane } from './lanes.ts';
import { type LimitedCall, refuseUntil } from './limits.ts';

const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Calls that judge a password, from their arrival to their answer (X12). */
export const judgingCalls = new Lane('password_calls', { slots: 20, waiting: 0 });
/** Logins and look-ups cannot fill the slots of those who buy, and sign-ups take one of them at most. */
const judging = new Lane('password_judging', { slots: 1, waiting: 20 });
const choosing = new Lane('password_choosing', { slots: 2, waiting: 500 });
const joining = new Lane('password_joining', { slots: 1, waiting: 100 });

/** Hashes the order password of whoever pays. */
export const hashOrderPassword = (password: string): Promise<string> => choosing.run(() => hash(password, ARGON2));
/** Hashes the password of whoever signs up. */
export const hashNewPassword = (password: string): Promise<string> => joining.run(() => hashOrderPassword(password));

/** A hash of nothing that anybody knows: an unknown address costs as long as a wrong password (D66). */
let nobody: Promise<string> | undefined;
async function isPassword(password: string, kept: string | null): Promise<boolean> {
  nobody ??= hash(crypto.randomUUID(), ARGON2);
  const against = kept ?? (await nobody);
  return (await verify(against, password)) && kept !== null;
}

interface Guess {
  readonly password: string;
  /** Null: there is no such account or order, which takes as long. */
  readonly kept: string | null;
  /** What is wrong besides the password is a wrong guess too. */
  readonly isRight?: boolean;
  /** The first is forgotten when the password is right; of the others only this guess is taken back. */
  readonly limits: readonly [Limit, ...Limit[]];
}
/**
 * Judges a guess, in its turn. It is counted as wrong before it is judged, for all processes, so that guesses made at once are not
 * judged all the same (X11). Over a limit: TOO_MANY_REQUESTS, `Retry-After`, whatever the password is.
 */
export function judge(call: LimitedCall, { password, kept, isRight = true, limits }: Guess): Promise<boolean> {
  const tx = <T>(work: Parameters<typeof inTenant<T>>[3]) => inTenant(call.deps.orm, call.storeId, REQUEST, work);
  return judging.run(async () => {
    const now = call.deps.clock.now();
    refuseUntil(call, 'passwords', await tx((em) => takeUse(em, limits, now)), now);
    const verdict = (await isPassword(password, kept)) && isRight;
    if (!verdict) return false;
    const [own, ...others] = limits;
    await tx(async (em) => {
      await forgetUses(em, own);
      await giveBackUse(em, others, now);
    });
    return true;
  });
}
