/**
 * `npm run keys -- signing`: one step of the rotation of the keys that sign access tokens: publishes the next key, and once every process
 * has read it (two minutes) makes it the current one; the previous key verifies until its last token has expired.
 * `npm run keys -- sealing`: encrypts again, with the first of SEALING_KEYS, what is encrypted with an older one. Every process needs the
 * new list before. The older key stays in the list for another day: secrets that expire within a day are not encrypted again.
 * The order of steps: docs/operations.md#keys. Both can be repeated at any time while the system runs.
 */
import { parseArgs } from 'node:util';
import type { MikroORM } from '@mikro-orm/postgresql';
import { createKeyring, type Keyring } from '../../db/kernel/keyring.ts';
import { reseal } from '../../db/identity/reseal.ts';
import { rotateSigningKeys } from '../../db/identity/signingKeys.ts';
import { withOrm } from '../../db/orm.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { ownerUrl, systemEnv } from './environment.ts';
import { UserError, run } from '../kernel/cli.ts';

const STEPS = {
  published: 'is published as the next key: run this again in two minutes',
  waiting: 'was published less than two minutes ago: run this again later',
  promoted: 'signs from now on',
} as const;

const commands: Readonly<Record<string, (orm: MikroORM, keyring: Keyring) => Promise<string>>> = {
  async signing(orm, keyring) {
    const { step, kid } = await inTenant(orm, realTime(NO_STORE, Date.now()), REQUEST, (tx) => rotateSigningKeys(tx, keyring));
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
  if (!command) throw new UserError('Usage: npm run keys -- signing | sealing');
  const keyring = createKeyring(systemEnv('SEALING_KEYS'));
  process.stdout.write(`${await withOrm(ownerUrl(), 2, (orm) => command(orm, keyring), 'sangjeom_operator')}\n`);
  return 0;
});
