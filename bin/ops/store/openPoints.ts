import type { MikroORM } from '@mikro-orm/postgresql';
import { findByEmail } from '../../../db/customers/queries.ts';
import { sqlOn } from '../../../db/kernel/sql.ts';
import { inTenant, REQUEST, tenancyOf } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { grantPoints } from '../../../db/points/ledger.ts';
import { openingExpiry } from '../../../db/points/policy.ts';
import { findTenant } from '../../../db/stores/queries.ts';
import { UserError } from '../../kernel/cli.ts';

interface Opening {
  readonly email: string;
  readonly balance: number;
}
const MAX_WON = 2_000_000_000;

/**
 * Gives customers what they had before there was a ledger, each once for ever (N13). Every line is read before the first one counts; a
 * command that was interrupted is repeated as it was.
 */
export const openPoints = (databaseUrl: string, storeCode: string, lines: string) =>
  withOrm(databaseUrl, 1, async (orm) => {
    const openings = lines.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [openingOf(line, i + 1)]));
    const store = await findTenant(sqlOn(orm), 'storeCode', storeCode);
    if (!store) throw new UserError(`There is no store ${storeCode}.`);
    const within = tenantOf(orm, store);
    const expiresAt = await within(openingExpiry);
    if (expiresAt === null) throw new UserError(`POINT_EXPIRY_REQUIRED: the point policy of ${storeCode} has no expiryDays.`);
    let opened = 0;
    for (const { email, balance } of openings)
      opened += await within(async (tx) => {
        const customer = expiresAt > tx.at ? await findByEmail(tx, email) : null;
        if (!customer) return 0;
        const { customerId } = customer;
        const entry = await grantPoints(tx, { customerId, type: 'OPENING', amountWon: balance, expiresAt: new Date(expiresAt) });
        return entry ? 1 : 0;
      });
    return { opened, skipped: openings.length - opened };
  });

const tenantOf =
  (orm: MikroORM, { storeId, clockOffsetMs }: { readonly storeId: string; readonly clockOffsetMs: number }) =>
  <T>(work: Parameters<typeof inTenant<T>>[3]): Promise<T> =>
    inTenant(orm, tenancyOf(storeId, clockOffsetMs, Date.now()), REQUEST, work);

function openingOf(line: string, number: number): Opening {
  const { email, balance } = (parsed(line) ?? {}) as Partial<Opening>;
  if (typeof email !== 'string' || !Number.isInteger(balance) || balance! < 0 || balance! > MAX_WON)
    throw new UserError(`Line ${number} is not { "email": TEXT, "balance": 0 … ${MAX_WON} }; nothing was opened.`);
  return { email: email.trim(), balance: balance! };
}
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
