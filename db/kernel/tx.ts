/** Transactions, each bound to a tenant and to timeouts. */
import { type EntityManager, type MikroORM, TransactionContext } from '@mikro-orm/postgresql';
import type { ActorRef } from '../../domain/identity/actors.ts';
import type { Moment } from './clock.ts';
import { FeedChanges } from './feed.ts';
import { isOutdatedPlan } from './prepared.ts';
import { currentRequester } from './requester.ts';
import { sharesOf } from './shares.ts';
import { type Sql, sqlIn } from './sql.ts';

export type Em = EntityManager;

export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  /** It changes nothing: where stores share connections, such transactions wait in a line of their own (shares.ts). */
  readonly isRead?: boolean;
  /** Aborted when nobody waits for it any more: it does not begin then. Only for what is the first thing that a request changes. */
  readonly gone?: AbortSignal;
}
/**
 * Of API requests. A concurrent duplicate is waited for in several transactions; the last of them begins within five seconds (D26,
 * api/pipeline/transact.ts).
 */
export const REQUEST: Limits = { statementMs: 2500, lockMs: 2000 };
export const READ: Limits = { ...REQUEST, isRead: true };
/** Of transitions: below the two seconds of their local activity. */
export const TRANSITION: Limits = { statementMs: 1500, lockMs: 1000 };

/** Who changes something, and by which request: what the DOMAIN records of the audit log say of it. */
export interface ChangeOrigin {
  /** Null: SYSTEM. Without a name, that of the person, client or token is looked up. */
  readonly actor: (ActorRef & { readonly name: string | null }) | null;
  readonly requestId: string | null;
  readonly approvalId: string | null;
  /** `via`, `onBehalfOf`, `approvedBy`, `by`: ids and enumerations. */
  readonly metadata: Readonly<Record<string, string>>;
}
/** What a buyer does by themself. */
export const BY_BUYER: ChangeOrigin = { actor: null, requestId: null, approvalId: null, metadata: { by: 'BUYER' } };

/** The store whose rows a transaction sees, and its times; `origin`: of its changes, absent where nobody requested them. */
export interface Tenancy extends Moment {
  readonly storeId: string;
  readonly origin?: ChangeOrigin | undefined;
}

/** A store at its business time. */
export const tenancyOf = (storeId: string, clockOffsetMs: number, realNow: number): Tenancy => ({
  storeId,
  at: realNow + clockOffsetMs,
  realNow,
});
/** A store at real time, for transactions in which nothing has a business time. */
export const realTime = (storeId: string, realNow: number): Tenancy => tenancyOf(storeId, 0, realNow);

/** Won that a transaction has given back so far, whichever of its changes did: in cash, held refunds included, and in points. */
export interface Returned {
  refundAmount: number;
  pointRefundAmount: number;
}

/** A step of a flow that a transaction has taken (db/orders/flows/steps.ts). */
export interface FlowStep {
  readonly orderItemIds: readonly string[];
  readonly edges: readonly string[];
  /** The nodes where it stands afterwards. */
  readonly to: readonly string[];
  readonly status: string;
  /** A line for each: `notify buyer shipped`. */
  readonly jobs: readonly string[];
  /** Business milliseconds: they move with the time of the step. */
  readonly timers: readonly { readonly key: string; readonly at: number }[];
  /** What is compared beside the lines. */
  readonly details: object;
}

/** A transaction of one store: entities, statements, the store, and the times at which all of it happens. */
export interface Tx extends Tenancy {
  readonly em: Em;
  readonly sql: Sql;
  /** Its changes of the store's feeds, written by its last statement. */
  readonly feed: FeedChanges;
  /** What it gives back to buyers. */
  readonly returned: Returned;
  /** The steps of flows that it has taken, where it is compared. */
  readonly steps: FlowStep[];
  /** What its preview tells beside its answer, where it is compared. */
  readonly facts: Record<string, unknown>;
  /** What it does is shown for an approval, or compared with what was approved (G51). */
  readonly isCompared?: boolean;
  /** It is rolled back at its end: nothing is numbered by a sequence, which a rollback does not take back (G11). */
  readonly isRehearsal?: boolean;
}

/**
 * Runs `work` in one transaction in which row-level security shows only this store's rows; once more, when a migration has outdated a plan
 * meanwhile. Where stores share connections it is the store's turn first: one within another takes none, because the outer one has it.
 */
export async function inTenant<T>(orm: MikroORM, tenancy: Tenancy, limits: Limits, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { storeId, at, realNow, origin } = tenancy;
  const variables = {
    'app.store_id': storeId,
    'app.origin': originText(at, origin),
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
  };
  const transact = () => {
    const fork = orm.em.fork({ session: { variables } });
    return fork.transactional(
      async (em) => {
        const [sql, feed] = [sqlIn(em), new FeedChanges()];
        const returned = { refundAmount: 0, pointRefundAmount: 0 };
        const result = await work({ em, sql, feed, returned, steps: [], facts: {}, storeId, at, realNow, origin });
        await em.flush();
        await feed.write(sql, storeId);
        return result;
      },
      { clear: true },
    );
  };
  const shares = TransactionContext.getEntityManager() ? undefined : sharesOf(orm);
  const end = await shares?.take(limits.isRead ? 'read' : 'change', { storeId, ...currentRequester(), gone: limits.gone });
  try {
    return await transact().catch((error: unknown) => {
      if (isOutdatedPlan(error)) return transact();
      throw error;
    });
  } finally {
    end?.();
  }
}

/** The variable that the triggers of the audit log read (db/migrations/auditing.ts): the business time, and the origin. */
const originText = (at: number, origin: ChangeOrigin | undefined): string => JSON.stringify({ at, ...origin });

/** From here on the changes of the transaction have this origin and this business time. */
export const setOrigin = ({ sql }: Tx, at: number, origin: ChangeOrigin | undefined): Promise<object[]> =>
  sql`SELECT set_config('app.origin', ${originText(at, origin)}, true)`;

/** The time for the commit itself: less than a client waits for a response (query_timeout, 3 s). */
const COMMIT_MS = 1500;
/**
 * To be called at the end of the work, before the feed's row is taken: sets `transaction_timeout`, so that Postgres aborts the transaction
 * after COMMIT_MS (SQLSTATE 25P04). A commit that a hanging network or server delays then fails, and a 503 that was returned meanwhile
 * ("done already or never") stays true (X26).
 */
export const announceCommit = ({ sql }: Tx): Promise<object[]> =>
  sql`SELECT set_config('transaction_timeout', '0', true), set_config('transaction_timeout', ${String(COMMIT_MS)}, true)`;

/** A transaction-level advisory lock by name: serializes work that has no row to lock. */
export const lockName = ({ sql }: Tx, name: string): Promise<object[]> => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
