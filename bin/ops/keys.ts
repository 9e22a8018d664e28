/**
 * `npm run keys -- signing`: one step in the life of the keys that sign access tokens: publishes a next key, and once every
 * process has read it (two minutes) lets it sign; the one before it verifies until its last token is dead.
 * `npm run keys -- sealing`: seals anew, under the first of SEALING_KEYS, what was sealed under an older one; until nothing is
 * left the older one must stay in the list. Every process must have the new list first: it opens what is sealed anew.
 * Both can be run again at any time, beside a running system.
 */
import { parseArgs } from 'node:util';
import type { MikroORM } from '@mikro-orm/postgresql';
import { createKeyring, type Keyring } from '../../db/kernel/keyring.ts';
import { reseal } from '../../db/identity/reseal.ts';
import { rotateSigningKeys } from '../../db/identity/signingKeys.ts';
import { openOrm } from '../../db/orm.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { ownerUrl, systemEnv } from './environment.ts';
import { Remedy, run } from '../kernel/say.ts';

const STEPS = {
  published: 'is published as the next key: run this again in two minutes',
  waiting: 'was published less than two minutes ago: run this again later',
  promoted: 'signs from now on',
} as const;

const commands: Readonly<Record<string, (orm: MikroORM, keyring: Keyring) => Promise<string>>> = {
  async signing(orm, keyring) {
    const { step, kid } = await inTenant(orm, '-', REQUEST, (em) => rotateSigningKeys(em, keyring, Date.now()));
    return `${kid} ${STEPS[step]}.`;
  },
  async sealing(orm, keyring) {
    const counts = await reseal(orm, keyring);
    return counts.map(({ table, column, resealed }) => `${table}.${column}: ${resealed} sealed anew`).join('\n');
  },
};

await run(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const command = commands[positionals[0] ?? ''];
  if (!command) throw new Remedy('Usage: npm run keys -- signing | sealing');
  const keyring = createKeyring(systemEnv('SEALING_KEYS'));
  const orm = await openOrm(ownerUrl(), 2, 'sangjeom_operator');
  try {
    process.stdout.write(`${await command(orm, keyring)}\n`);
  } finally {
    await orm.close();
  }
  return 0;
});
