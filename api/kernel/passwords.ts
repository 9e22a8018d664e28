/** Passwords that people choose: argon2id, 19 MiB, two passes (design/identity-security.md § 2), two at a time. */
import { hash, verify } from '@node-rs/argon2';

const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const SLOTS = 2;

let busy = 0;
const waiting: (() => void)[] = [];

/** Many logins at once must neither fill the memory nor hold up everything else. */
async function inSlot<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= SLOTS) await new Promise<void>((resolve) => waiting.push(resolve));
  else busy++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busy--;
  }
}

export const hashPassword = (password: string): Promise<string> => inSlot(() => hash(password, ARGON2));

/** A hash of nothing that anybody knows: an unknown address costs as long as a wrong password (D66). */
let nobody: Promise<string> | undefined;
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  nobody ??= hashPassword(crypto.randomUUID());
  const against = kept ?? (await nobody);
  return (await inSlot(() => verify(against, password))) && kept !== null;
}
