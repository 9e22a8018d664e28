/**
 * Deletes what has ended (db/retention/kinds.ts): one bounded portion per step, each kind in turn, by the sweeper's SQL functions. Of
 * an upload the row is deleted first and its file afterwards: a file that a crash leaves behind has no row, and stored files without a row
 * are deleted a day later. Steps are idempotent.
 */
import { identifier, statement } from '../db/kernel/sql.ts';
import type { ClientBase } from 'pg';
import type { Storage } from '../activities/providers/storage.ts';
import type { Clock } from '../db/kernel/clock.ts';
import type { Log } from '../db/kernel/log.ts';
import { KINDS, type Kind, LATE_MS, ORPHAN_FILE_MS } from '../db/retention/kinds.ts';
import { isImageType, uploadKey } from '../domain/uploads/rules.ts';
import { HOUR, MINUTE } from '../domain/kernel/time.ts';

/** Rows of one portion. */
const PORTION = 500;
/** The pause before a kind of which nothing more was due, and between scans of the storage. */
const REST_MS = MINUTE;
const STORAGE_REST_MS = HOUR;
/** Counts of overdue rows stop here. */
const MAX_LEFT = 10_000;

export interface SweeperDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: Storage;
}

export class Sweeper {
  readonly #deps: SweeperDeps;
  /** Real time at which each kind's next portion is due. */
  readonly #dueAt = new Map<string, number>();
  #storageDueAt = 0;
  #cursor: string | null = null;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /** Sweeps one portion of the kind that has waited longest. Returns whether another is due immediately. */
  async step(tx: ClientBase): Promise<boolean> {
    const now = this.#deps.clock.now();
    const [kind] = KINDS.filter(({ name }) => this.#due(name) <= now).toSorted((a, b) => this.#due(a.name) - this.#due(b.name));
    if (kind) {
      // Set before the portion, so that after a failure the other kinds come first.
      this.#dueAt.set(kind.name, now + REST_MS);
      const swept = await sweepPortion(tx, kind, now, this.#deps);
      if (swept >= (kind.name === 'logins' ? PORTION / 10 : PORTION)) this.#dueAt.set(kind.name, now);
    } else if (this.#storageDueAt <= now) {
      this.#storageDueAt = now + STORAGE_REST_MS;
      this.#cursor = await sweepFiles(tx, this.#cursor, now, this.#deps);
      if (this.#cursor !== null) this.#storageDueAt = now;
    }
    return this.#storageDueAt <= now || KINDS.some(({ name }) => this.#due(name) <= now);
  }

  #due(name: string): number {
    return this.#dueAt.get(name) ?? 0;
  }
}

/** Deletes one portion of a kind; returns the number of rows. */
export async function sweepPortion(
  tx: ClientBase,
  { name, retentionMs }: Kind,
  realNow: number,
  { log, storage }: SweeperDeps,
): Promise<number> {
  const until = new Date(realNow - retentionMs);
  if (name === 'order_inputs') {
    const { rows } = await tx.query<{ store_id: string; upload_id: string; content_type: string }>(
      statement`SELECT * FROM sweep_order_inputs(${until}, ${PORTION})`,
    );
    const keys = rows.flatMap(({ store_id: store, upload_id: id, content_type: type }) =>
      isImageType(type) ? [uploadKey(store, id, type)] : [],
    );
    await removeFiles(keys, storage);
    return rows.length;
  }
  const { rows } = await tx.query<{ n: string }>(statement`SELECT ${identifier(`sweep_${name}`)}(${until}, ${PORTION}) AS n`);
  const swept = Number(rows[0]!.n);
  if (swept > 0) log.info({ kind: name, swept }, 'swept what has ended');
  return swept;
}

/** Deletes orphans (a day old, without a row) of one page of the storage. Returns the cursor of the next page, or null at the end. */
export async function sweepFiles(
  tx: ClientBase,
  cursor: string | null,
  realNow: number,
  { log, storage }: SweeperDeps,
): Promise<string | null> {
  const page = await storage.list(cursor);
  const names = new Map(page.keys.map((key) => [key.replace(/^uploads\//, '').replace(/\.\w+$/, ''), key]));
  const { rows } = await tx.query<{ name: string }>('SELECT name FROM lookup_uploads($1::text[])', [[...names.keys()]]);
  for (const { name } of rows) names.delete(name);
  const orphans: string[] = [];
  for (const key of names.values()) {
    const changedAt = await storage.changedAt(key);
    if (changedAt !== null && changedAt < realNow - ORPHAN_FILE_MS) orphans.push(key);
  }
  await removeFiles(orphans, storage);
  if (orphans.length > 0) log.info({ files: orphans.length }, 'deleted stored files without a row');
  return page.next;
}

async function removeFiles(keys: readonly string[], storage: Storage): Promise<void> {
  const left = [...keys];
  const remove = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await storage.remove(key);
  };
  await Promise.all(Array.from({ length: 8 }, remove));
}

/** The number of rows of each kind that should have been deleted an hour ago, counted up to ten thousand. */
export async function overdueRows(tx: Pick<ClientBase, 'query'>, realNow: number): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  for (const { name, retentionMs } of KINDS) {
    const until = new Date(realNow - retentionMs - LATE_MS);
    const { rows } = await tx.query<{ n: string }>(statement`SELECT ${identifier(`overdue_${name}`)}(${until}, ${MAX_LEFT}) AS n`);
    left.set(name, Number(rows[0]!.n));
  }
  return left;
}
