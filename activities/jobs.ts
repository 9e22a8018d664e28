/** The portions of scheduled jobs (workflows/kernel/jobs.ts). Each finds what is due anew, so that a lost or repeated one does no harm. */
import { ApplicationFailure } from '@temporalio/activity';
import { pointDifferences } from '../db/kernel/metrics.ts';
import { isOutage } from '../db/kernel/outage.ts';
import { forEachAtOnce } from '../db/kernel/parallel.ts';
import { sqlOn } from '../db/kernel/sql.ts';
import { inTenant, REQUEST, tenancyOf, TRANSITION } from '../db/kernel/tx.ts';
import { checkAccounts } from '../db/points/check.ts';
import { expireMember, findDue, type DueMember, type LotPosition } from '../db/points/expiry.ts';
import { findStores } from '../db/visits/stores.ts';
import { countVisits } from '../db/visits/counting.ts';
import type { JobActivities, JobName, Portion } from '../workflows/kernel/jobs.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';

/** Does a portion; returns where the next one goes on, or null at the end. */
type Job = (deps: ActivityDeps, portion: Portion) => Promise<string | null>;
const RUN: Readonly<Record<JobName, Job>> = {
  'point-expiry': expirePortion,
  'point-check': checkPortion,
  'visit-counts': countPortion,
};

/** Only OUTAGE or INTERNAL reaches Temporal. */
export const createJobs = (deps: ActivityDeps): { readonly [N in keyof JobActivities]: JobActivities[N] } => ({
  runPortion: async (portion) => {
    try {
      return { next: await withHeartbeat(() => RUN[portion.job](deps, portion)) };
    } catch (error) {
      const type = isOutage(error) ? 'OUTAGE' : 'INTERNAL';
      deps.log.error({ err: error, job: portion.job }, 'a portion of a scheduled job failed');
      throw ApplicationFailure.create({ type, message: type });
    }
  },
});

/** Transactions at a time: few, because buyers and sellers come first. */
const AT_ONCE = 4;

/** A member for whom it fails is left to the next run; an outage fails the portion. */
async function expirePortion(deps: ActivityDeps, { cursor, at }: Portion): Promise<string | null> {
  const { orm, clock, log } = deps;
  const { members, last } = await findDue(sqlOn(orm), at, cursor === null ? null : (JSON.parse(cursor) as LotPosition));
  await forEachAtOnce(members, AT_ONCE, async ({ storeId, clockOffsetMs, customerId }: DueMember) => {
    const tenancy = { ...tenancyOf(storeId, clockOffsetMs, at), realNow: clock.now() };
    try {
      await inTenant(orm, tenancy, TRANSITION, (tx) => expireMember(tx, customerId));
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ err: error, storeId, customerId }, 'points could not be expired');
    }
  });
  return last && JSON.stringify(last);
}

const CHECKED = 500;
/** Reports every account that does not agree with its history: an operator has to find out why. */
async function checkPortion({ orm, log }: ActivityDeps, { cursor }: Portion): Promise<string | null> {
  const checked = await checkAccounts(
    sqlOn(orm),
    cursor === null ? null : (JSON.parse(cursor) as { storeId: string; customerId: string }),
    CHECKED,
  );
  for (const { storeId, customerId, differences } of checked) {
    if (differences.length === 0) continue;
    pointDifferences.inc();
    log.error({ storeId, customerId, differences }, 'points disagree with their history');
  }
  const last = checked.length < CHECKED ? undefined : checked.at(-1);
  return last ? JSON.stringify({ storeId: last.storeId, customerId: last.customerId }) : null;
}

/** A store for which it fails is left to the next run; an outage fails the portion. */
async function countPortion(deps: ActivityDeps, { cursor, at }: Portion): Promise<string | null> {
  const { orm, clock, log } = deps;
  const { stores, last } = await findStores(sqlOn(orm), cursor);
  await forEachAtOnce(stores, AT_ONCE, async ({ storeId, clockOffsetMs }) => {
    try {
      let isDone = false;
      while (!isDone) {
        const tenancy = { ...tenancyOf(storeId, clockOffsetMs, at), realNow: clock.now() };
        isDone = await inTenant(orm, tenancy, REQUEST, countVisits);
      }
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ err: error, storeId }, 'visits could not be counted');
    }
  });
  return last;
}
