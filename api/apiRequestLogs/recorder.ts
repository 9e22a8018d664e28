/**
 * Records management requests in their stores' logs (G49), in batches and after they were answered: a request itself costs one record in
 * memory. A process holds at most BOUND of them, some 10 MB; what comes beyond, while Postgres is too slow or away, is dropped and counted.
 */
import { type AnsweredRequest, type AttributedRequest, recordApiRequests } from '../../db/apiRequestLogs/commands.ts';
import { unloggedRequests } from '../../db/kernel/metrics.ts';
import { isOutage } from '../../db/kernel/outage.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { RetryLater } from '../../domain/kernel/errors.ts';
import { Batches } from './batches.ts';
import type { Caller } from '../declare/caller.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { attribute, type Attribution, type Evidence } from './attribution.ts';

const SIZE = 200;
const WAIT_MS = 500;
const RETRY_MS = 1000;
const BOUND = 10_000;
/** For what waits when the process stops: less than it has for the requests under way. */
const CLOSE_MS = 5000;

/** A request that was answered, with its caller, or what is known of one that was not authenticated. */
export interface LoggedRequest {
  readonly request: AnsweredRequest;
  readonly by: Pick<Caller, 'storeId' | 'at' | 'actor'> | Evidence;
}

export class Recorder {
  readonly #deps: ApiDeps;
  readonly #batches: Batches<LoggedRequest>;

  /** `bound`: how many records may wait. */
  constructor(deps: ApiDeps, bound = BOUND) {
    this.#deps = deps;
    this.#batches = new Batches({
      size: SIZE,
      waitMs: WAIT_MS,
      retryMs: RETRY_MS,
      bound,
      write: (batch) => this.#write(batch),
      onDrop: (count) => unloggedRequests.inc(count),
    });
  }

  add(answered: LoggedRequest): void {
    this.#batches.add(answered);
  }

  /** Writes what waits; to be called when no request is under way any more. */
  close(): Promise<void> {
    return this.#batches.close(CLOSE_MS);
  }

  /**
   * One short transaction for each store, so that row-level security guards each record. What fails by an outage is returned, to be tried
   * again; what fails otherwise is dropped.
   */
  async #write(batch: readonly LoggedRequest[]): Promise<readonly LoggedRequest[]> {
    const known = new Map<string, Promise<Attribution | null>>();
    const stores = new Map<string, { readonly answered: LoggedRequest; readonly row: AttributedRequest }[]>();
    const again: LoggedRequest[] = [];
    for (const answered of batch) {
      const found = await this.#attempt([answered], again, () => this.#attributed(answered, known));
      if (!found) continue;
      const rows = stores.get(found.storeId) ?? [];
      rows.push({ answered, row: found.row });
      stores.set(found.storeId, rows);
    }
    for (const [storeId, rows] of stores)
      await this.#attempt(
        rows.map(({ answered }) => answered),
        again,
        () =>
          this.#record(
            storeId,
            rows.map(({ row }) => row),
          ),
      );
    return again;
  }

  /** The result, or null when the work failed. After an outage nothing more of the batch is attempted. */
  async #attempt<T>(records: readonly LoggedRequest[], again: LoggedRequest[], work: () => Promise<T>): Promise<T | null> {
    if (again.length > 0) {
      again.push(...records);
      return null;
    }
    try {
      return await work();
    } catch (error) {
      this.#deps.log.warn({ err: error, records: records.length }, 'requests could not be recorded');
      if (isOutage(error) || error instanceof RetryLater) again.push(...records);
      else unloggedRequests.inc(records.length);
      return null;
    }
  }

  #record(storeId: string, rows: readonly AttributedRequest[]): Promise<void> {
    const { orm, clock } = this.#deps;
    return inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) => recordApiRequests(tx, rows));
  }

  /** `known`: what has been found in this batch, by evidence. */
  async #attributed(
    { request, by }: LoggedRequest,
    known: Map<string, Promise<Attribution | null>>,
  ): Promise<{ readonly storeId: string; readonly row: AttributedRequest } | null> {
    if ('storeId' in by) return { storeId: by.storeId, row: { ...request, at: by.at, actor: by.actor } };
    const key = JSON.stringify(by);
    const found = known.get(key) ?? attribute(by, this.#deps);
    known.set(key, found);
    const attribution = await found;
    if (!attribution) return null;
    const { storeId, clockOffsetMs, actor } = attribution;
    return { storeId, row: { ...request, at: clockOffsetMs === null ? null : request.receivedAt + clockOffsetMs, actor } };
  }
}
