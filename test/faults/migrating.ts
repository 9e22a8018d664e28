/** Migrations over two API processes, while sellers go on and processes are killed. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as Temporal } from '@temporalio/client';
import type { Client as Postgres } from 'pg';
import { call, type Reply } from '../../bin/dev/client.ts';
import { until } from '../../bin/dev/until.ts';
import { forEachAtOnce } from '../../db/kernel/parallel.ts';
import { answered } from './claimKills.ts';
import type { Fleet, Step, Unit } from './flowUnits.ts';
import { type Bench, kill } from './harness.ts';

/** Each step as a request of the seller. */
const REQUESTS: Readonly<Record<Step, { readonly path: string; readonly body: object }>> = {
  make: { path: 'actions/make', body: { input: { size: 7 } } },
  checked: { path: 'events/custom.checked', body: { data: { check: { result: 'good' } } } },
  finish: { path: 'actions/finish', body: {} },
  gone: { path: 'events/custom.gone', body: {} },
};
/** An API process with its request open, and one that has committed and not answered. */
const API_KILLS = ['request.before-commit@flows.migrate', 'request.after-commit@flows.migrate'];
const WORKERS = ['worker', 'worker-2'];
const SELLERS = 6;

export interface Scene {
  readonly under: Bench;
  readonly database: Postgres;
  readonly temporal: Temporal;
  readonly fleet: Fleet;
  /** The folder of FAILPOINTS_ARMED. */
  readonly armed: string;
  /** How long anything of it may take, in milliseconds. */
  readonly patience: number;
}

export class Migrating {
  readonly #scene: Scene;
  readonly #items: number;
  #requests = 0;
  /** Items that acknowledged migrations have moved. */
  moved = 0;
  kills = 0;
  terminated = 0;
  constructor(scene: Scene) {
    this.#scene = scene;
    this.#items = scene.fleet.units.flatMap(({ itemIds }) => itemIds).length;
  }

  /** Takes these steps of each unit, in their order; a group by one of its members. */
  async act(when: 'before' | 'during'): Promise<void> {
    await forEachAtOnce(this.#scene.fleet.units, SELLERS, async ({ itemIds, story }) => {
      for (const step of story[when]) {
        const orderItemId = itemIds[Math.floor(Math.random() * itemIds.length)]!;
        const { path, body } = REQUESTS[step];
        const reply = await this.#send(`/v1/order-items/${orderItemId}/${path}`, body, `${orderItemId}-${step}`);
        const { affectedOrderItemIds: affected } = accepted(reply) as { affectedOrderItemIds: string[] };
        if (String(affected.toSorted()) !== String(itemIds.toSorted())) throw new Error(`${step} moved ${String(affected)}`);
      }
    });
  }

  /** Two migrations of each flow, sellers, and so many rounds of kills, at the same time. */
  async run(rounds: number): Promise<void> {
    const flows = Object.values(this.#scene.fleet.flowIds);
    await Promise.all([
      ...flows.flatMap((flowId) => [this.#migrate(flowId, 'one'), this.#migrate(flowId, 'two')]),
      this.act('during'),
      this.#killAll(rounds),
      this.#loseWake(),
    ]);
  }
  get requests(): number {
    return this.#requests;
  }

  /** In random portions until none remain. */
  async #migrate(flowId: string, who: string): Promise<void> {
    const max = Math.max(3, this.#items / 50);
    for (let n = 0; ; n++) {
      const limit = 1 + Math.floor(Math.random() * max);
      const reply = await this.#send(`/v1/commerce-flows/${flowId}/versions/1/migrate`, { limit }, `migrate-${flowId}-${who}-${n}`);
      const { migrated, remaining } = accepted(reply) as { migrated: number; remaining: number };
      this.moved += migrated;
      if (remaining === 0) return;
    }
  }

  /** Each round at its share of the migration: an API process twice, some runs in Temporal, and, after the first, a worker. */
  async #killAll(rounds: number): Promise<void> {
    const { under, fleet, armed, temporal } = this.#scene;
    const files = API_KILLS.map((name) => join(armed, name));
    for (let round = 0; round < rounds; round++) {
      await this.#until('items are migrated', () => this.moved >= (this.#items * 0.6 * round) / rounds);
      for (const file of files) writeFileSync(file, '');
      if (round > 0) kill(under.system, WORKERS[round % WORKERS.length]!);
      const runs = Array.from({ length: 2 }, (_, i) => fleet.units[(round * 31 + i * 17) % fleet.units.length]!);
      await Promise.all(runs.map((unit) => this.#terminate(temporal, unit)));
      await this.#until('an API process is killed at each point', () => files.every((file) => !existsSync(file)));
      this.kills += files.length + Number(round > 0);
    }
  }

  /** A run that is terminated after it was woken, and before it has read its new deadline: its worker dies as it reads it. */
  async #loseWake(): Promise<void> {
    const { fleet, armed, database, temporal } = this.#scene;
    const unit = fleet.units.find(({ kind, story }) => kind.key === 'sooner' && [...story.before, ...story.during].length === 0)!;
    const file = join(armed, `transition.before-commit@${unit.itemIds[0]!}.load`);
    writeFileSync(file, '');
    await this.#until('the worker is killed', () => !existsSync(file));
    await until(
      'the wake is sent',
      async () => (await database.query('SELECT 1 FROM outbox WHERE workflow_id = $1', [unit.workflowId])).rows.length === 0,
      this.#scene.patience,
    );
    this.kills += 1;
    await this.#terminate(temporal, unit);
  }

  #terminate = async (temporal: Temporal, { workflowId }: Unit): Promise<void> => {
    const handle = temporal.workflow.getHandle(workflowId);
    // One that has ended cannot be terminated.
    if ((await handle.describe()).status.name !== 'RUNNING') return;
    await handle.terminate('drill');
    this.terminated += 1;
  };

  /** To the API processes in turn, under one key, until there is an answer. */
  #send(path: string, body: object, key: string): Promise<Reply> {
    const { under } = this.#scene;
    const headers = { authorization: `Bearer ${under.seller.bearer}`, 'idempotency-key': key };
    return answered(() => {
      const { apis } = under.system;
      return call(apis[this.#requests++ % apis.length]!, 'POST', path, { body, headers });
    });
  }
  #until = (what: string, holds: () => boolean): Promise<boolean> => until(what, () => Promise.resolve(holds()), this.#scene.patience);
}

function accepted({ status, body }: Reply): unknown {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body.error)}`);
  return body.data;
}
