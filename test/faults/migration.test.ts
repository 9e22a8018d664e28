/**
 * Migrations of items in flight, over two API processes, while sellers act and API, workers and runs are killed: every item ends in exactly
 * one version, none is lost or moved twice, and its new deadline falls due (issue 22, proof). FLOW_ITEMS=1000 by command.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Temporal, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { until } from '../../bin/dev/until.ts';
import { forEachAtOnce } from '../../db/kernel/parallel.ts';
import type { FlowState } from '../../domain/flows/run/state.ts';
import { DAY, korean, MINUTE, SECOND } from '../../domain/kernel/time.ts';
import { answered } from './claimKills.ts';
import { buyFleet, type Fleet, LEADS_TO, type Unit } from './flowUnits.ts';
import { type Bench, bench } from './harness.ts';
import { settle, violations } from './invariants.ts';
import { noPromises } from './load.ts';
import { Migrating } from './migrating.ts';

const ITEMS = Number(process.env['FLOW_ITEMS'] ?? 16);
/** Of kills; a worker is killed once besides. */
const ROUNDS = Math.ceil(ITEMS / 100);
const TIME = 120_000 + ITEMS * 1000;

const armed = mkdtempSync(join(tmpdir(), 'sangjeom-failpoints-'));
const promised = noPromises();
let under: Bench;
let database: Postgres;
let connection: Connection;
let fleet: Fleet;
beforeAll(async () => {
  under = await bench({ FAILPOINTS_ARMED: armed }, 2);
  database = new Postgres({ connectionString: under.system.databaseUrl });
  await database.connect();
  connection = await Connection.connect({ address: under.system.temporalAddress });
  fleet = await buyFleet(under, database, ITEMS);
}, TIME);
afterAll(async () => {
  await connection?.close();
  await database?.end();
  await under?.close();
  rmSync(armed, { recursive: true });
}, 60_000);

interface Item {
  readonly id: string;
  readonly version: number;
  readonly state: FlowState;
  /** What is on record of it, from the first to the last. */
  readonly events: readonly string[];
  readonly migrated_at: Date | null;
  readonly elapsed_at: Date | null;
}
async function storedItems(): Promise<ReadonlyMap<string, Item>> {
  const { rows } = await database.query<Item>(
    `SELECT i.order_item_id AS id, i.flow_version AS version, coalesce(g.flow_state, i.flow_state) AS state,
       array_agg(coalesce(s.event ->> 'key', replace(s.event ->> 'name', 'custom.', ''), s.event ->> 'deadline', s.event ->> 'type')
         ORDER BY s.seq) AS events,
       max(s.at) FILTER (WHERE s.event ->> 'type' = 'migrate') AS migrated_at,
       max(s.at) FILTER (WHERE s.event ->> 'type' = 'elapsed') AS elapsed_at
     FROM order_item i LEFT JOIN flow_group g USING (store_id, group_id) JOIN flow_step s USING (store_id, order_item_id)
     WHERE i.flow_key = ANY ($1) GROUP BY i.store_id, i.order_item_id, g.store_id, g.group_id`,
    [Object.keys(fleet.flowIds)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
/** What has to be on record of an item besides its migration, its deadline included once that has passed. */
const happened = ({ story: { before, during } }: Unit, isLate = false): (keyof typeof LEADS_TO)[] => {
  const steps = ['start' as const, ...before, ...during];
  return isLate && steps.length === 1 ? [...steps, 'late'] : steps;
};
const itemsOf = (units: readonly Unit[]) => units.flatMap((unit) => unit.itemIds.map((id) => ({ id, unit })));
const isPaid = (unit: Unit) => happened(unit).length === 1;

/** What of an item is not as it has to be, for each item: empty when all are. */
async function differences(wrong: (item: Item, unit: Unit) => unknown): Promise<unknown[]> {
  const stored = await storedItems();
  expect([...stored.keys()].toSorted()).toEqual(
    itemsOf(fleet.units)
      .map(({ id }) => id)
      .toSorted(),
  );
  return itemsOf(fleet.units).flatMap(({ id, unit }) => {
    const found = wrong(stored.get(id)!, unit);
    return found === null ? [] : [{ id, kind: unit.kind.key, ...unit.story, found }];
  });
}
/** Moved exactly once, after what had happened before it; or finished where it was. */
function wrongVersion({ version, events, state }: Item, { story }: Unit): unknown {
  const at = events.indexOf('migrate');
  const isMoved = version === 2 && at > story.before.length && at === events.lastIndexOf('migrate');
  return isMoved || (version === 1 && at === -1 && state.done) ? null : { version, events };
}
const wrongRecord =
  (isLate: (unit: Unit) => boolean) =>
  ({ events, state }: Item, unit: Unit): unknown => {
    const expected = happened(unit, isLate(unit));
    const nodes = state.positions.map(({ node }) => node);
    const isRight = String(events.filter((event) => event !== 'migrate')) === String(expected);
    return isRight && String(nodes) === LEADS_TO[expected.at(-1)!] ? null : { events, nodes };
  };
/** Times are shown in whole seconds. */
const shownOf = (time: number): number => Math.floor(time / 1000) * 1000;
const deadlineOf = ({ migrated_at: at }: Item, { kind }: Unit): number => at!.getTime() + kind.days[1] * DAY;

const get = async (path: string) => (await answered(() => under.seller.call('GET', path))).body.data;
const clock = async () => Date.parse((await get('/v1/sandbox/clock')).now as string);
let advances = 0;
/** Advances the store's clock, and waits until everything has happened. Signals to many runs take longer than its answer. */
async function advance(by: number): Promise<void> {
  let to = (await clock()) + by;
  // Failed deliveries are retried by this clock alone.
  for (let tries = 0; tries < 6; tries++, to += 10 * MINUTE) {
    const key = { 'idempotency-key': `advance-${advances++}` };
    const wanted = { to: korean(to) };
    await answered(() => under.seller.call('POST', '/v1/sandbox/clock', wanted, key));
    await until('the clock is there', async () => (await clock()) >= to - SECOND, TIME);
    if ((await settle(under.system.databaseUrl, 60_000)) === null) return;
  }
  throw new Error('something is due for ever');
}

describe('migrations under load and kills', () => {
  test(
    'each item is moved once, keeps its state, inputs and data, and what was acknowledged holds',
    async () => {
      const temporal = new Temporal({ connection });
      const migrating = new Migrating({ under, database, temporal, fleet, armed, patience: TIME });
      await migrating.act('before');
      await fleet.publish();
      await migrating.run(ROUNDS);
      const { kills, moved, requests, terminated } = migrating;
      process.stdout.write(`${ITEMS} items, ${moved} moved; ${requests} requests, ${kills} kills, ${terminated} runs terminated\n`);
      // No run sleeps beyond its deadline, not even one whose wake was lost with it.
      expect((await overslept()).rows).toEqual([]);
      await advance(MINUTE);
      expect(await differences(wrongVersion)).toEqual([]);
      expect(await differences(wrongRecord(() => false))).toEqual([]);
      expect([...(await storedItems()).values()].filter(({ version }) => version === 2)).toHaveLength(moved);
    },
    TIME,
  );

  test(
    'over HTTP: state, inputs, data, version, and the deadline from the moment of the migration',
    async () => {
      const stored = await storedItems();
      const shown: unknown[] = [];
      await forEachAtOnce(itemsOf(fleet.units), 6, async ({ id }) => {
        const { flow, flowState } = await get(`/v1/order-items/${id}/flow`);
        const deadline = flowState.deadlineAt as string | null;
        shown.push([id, flow.version, flowState.key, flowState.inputs, flowState.data, deadline === null ? null : Date.parse(deadline)]);
      });
      const expected = itemsOf(fleet.units).map(({ id, unit }) => {
        const steps = happened(unit);
        const inputs = steps.includes('make') ? { size: 7 } : {};
        const data = steps.includes('checked') ? { check: { result: 'good' } } : {};
        const item = stored.get(id)!;
        return [id, item.version, LEADS_TO[steps.at(-1)!], inputs, data, isPaid(unit) ? shownOf(deadlineOf(item, unit)) : null];
      });
      expect(new Map(shown.map((one) => [(one as string[])[0], one]))).toEqual(new Map(expected.map((one) => [one[0], one])));
      for (const flowId of Object.values(fleet.flowIds)) {
        const { versions } = await get(`/v1/commerce-flows/${flowId}`);
        expect((versions as { version: number; inProgress: number }[]).find(({ version }) => version === 1)!.inProgress).toBe(0);
      }
    },
    TIME,
  );

  test(
    'each deadline falls due once, at its time',
    async () => {
      const isSooner = ({ kind }: Unit) => kind.key === 'sooner';
      await advance(4 * DAY);
      expect(await differences(wrongRecord(isSooner))).toEqual([]);
      await advance(6 * DAY);
      expect(await differences(wrongRecord(() => true))).toEqual([]);
      const late = (item: Item, unit: Unit) => (isPaid(unit) && item.elapsed_at!.getTime() !== deadlineOf(item, unit) ? item : null);
      expect(await differences(late)).toEqual([]);
    },
    TIME * 2,
  );

  test(
    'nothing else is lost or repeated',
    async () => {
      for (const { id, unit } of itemsOf(fleet.units))
        if (happened(unit).includes('gone')) promised.canceled.set(id, 1);
        else promised.items.set(id, 'DELIVERED');
      const seen = { delivered: under.delivered, invitations: under.inviting.answered, promised };
      expect(await violations(under.system.databaseUrl, under.system.simulator, seen)).toEqual([]);
    },
    TIME,
  );
});

/** Open runs that wake after the deadline of their item or group. */
const overslept = () =>
  database.query(
    `WITH waiting AS (SELECT order_item_id AS entity_id, flow_state FROM order_item WHERE group_id IS NULL
         UNION ALL SELECT group_id, flow_state FROM flow_group)
     SELECT r.workflow_id, r.wake_at, w.flow_state FROM waiting w JOIN run r USING (entity_id)
     WHERE r.done_at IS NULL AND EXISTS (SELECT 1 FROM jsonb_array_elements(w.flow_state -> 'positions') p,
       jsonb_array_elements(p -> 'due') d
       WHERE to_timestamp((d ->> 'at')::bigint / 1000.0) < coalesce(r.wake_at, 'infinity'))`,
  );
