/**
 * Random flows, published and run to their end on the time-skipping server, do what `simulate` says, step by step. `FLOW_RUNS`: how many;
 * `npm test` takes few, `FLOW_RUNS=1000 npm test -- test/system/flows/randomRuns` many. `FLOW_SEED` draws the same again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/kernel/time.ts';
import { replayItem } from '../../../api/flows/replayed.ts';
import { readRecordedItem } from '../../../db/orders/flows/replayed.ts';
import { isOver } from '../../../domain/flows/run/members.ts';
import { nearest } from '../../../domain/flows/run/positions.ts';
import { Pen } from '../../units/flows/pen.ts';
import { host, type Host } from '../runs/hosted.ts';
import { Coverage } from './random/coverage.ts';
import { type Difference, differenceOf, isRacing } from './random/differences.ts';
import { type DrawnFlow, drawFlows } from './random/drawn.ts';
import { Player } from './random/play.ts';
import { readRan, readStates } from './random/ran.ts';
import { rehearse } from './random/rehearsal.ts';
import { RandomShop } from './random/shop.ts';

const count = Number(process.env['FLOW_RUNS'] ?? 8);
const seed = Number(process.env['FLOW_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** How many run at a time. */
const AT_ONCE = 40;
const TICKS = 14;
const GAPS = [0, 0, 2 * HOUR, 5 * HOUR, 12 * HOUR, 20 * HOUR, DAY, DAY, 2 * DAY, 3 * DAY, 5 * DAY];
/** After the last tick. */
const AFTERWARDS = 400 * DAY;

let under: Host;
let shop: RandomShop;
const coverage = new Coverage();
beforeAll(async () => {
  under = await host({ server: 'time-skipping' });
  shop = await RandomShop.open(under);
}, 240_000);
afterAll(async () => {
  shop.close();
  await under.close();
});

const idsOf = (players: readonly Player[]): string[] => players.map(({ item }) => item.orderItemId);
/** Odd times: nothing happens in the moment of a deadline. */
const odd = (pen: Pen): number => pen.count(1, 59) * MINUTE + pen.count(1, 59) * SECOND + pen.count(1, 999);

async function play(players: readonly Player[], pen: Pen): Promise<void> {
  for (let tick = 0; tick < TICKS; tick++) {
    await under.skip(pen.pick(GAPS) + odd(pen));
    const states = await under.inTenant((tx) => readStates(tx, idsOf(players)));
    // Items of an order share its lock.
    const orders = Map.groupBy(players, ({ item }) => item.run.orderNo);
    await Promise.all(orders.values().map((own) => inTurn(own, states)));
  }
}
async function inTurn(players: readonly Player[], states: Awaited<ReturnType<typeof readStates>>): Promise<void> {
  for (const player of players) await player.play(states.get(player.item.orderItemId)!);
}
/** Until nothing is due any more. */
async function end(players: readonly Player[]): Promise<void> {
  for (let passed = 0; passed < AFTERWARDS; passed += 50 * DAY) {
    await under.skip(50 * DAY);
    const states = await under.inTenant((tx) => readStates(tx, idsOf(players)));
    if (states.values().every((state) => nearest(state) === null)) return;
  }
}

/** What has run. A run that waited for a call's answer ends a moment after its flow, which is waited for. */
async function readEnded(players: readonly Player[]): ReturnType<typeof readRan> {
  const read = () => under.inTenant((tx) => readRan(tx, idsOf(players)));
  for (let tries = 0; tries < 50; tries++) {
    const all = await read();
    if (all.values().every((ran) => ran.isOver || !isOver(ran.state))) return all;
    await sleep(100);
  }
  return read();
}

interface Found extends Difference {
  readonly flow: string;
}
/** What differs, and how many were left out. */
async function run(drawn: readonly DrawnFlow[], pen: Pen): Promise<{ readonly differences: readonly Found[]; readonly racing: number }> {
  const items = await shop.sell(drawn, pen);
  const players = items.map((item) => new Player(shop, item, new Pen(pen.count(0, 2 ** 30))));
  await play(players, pen);
  await end(players);
  const [until, all] = [await under.now(), await readEnded(players)];
  const differences: Found[] = [];
  let racing = 0;
  for (const player of players) {
    const ran = all.get(player.item.orderItemId)!;
    const rehearsal = rehearse(shop, player, ran, until);
    coverage.see(player, rehearsal);
    const flow = player.item.drawn.flows.at(-1)!.key;
    const difference = differenceOf(rehearsal);
    if (difference && isRacing(rehearsal)) racing++;
    else if (difference) differences.push({ flow, ...difference });
    const recorded = await under.inTenant((tx) => readRecordedItem(tx, player.item.orderItemId));
    const { diverged } = replayItem(player.item.flow, recorded);
    if (diverged)
      differences.push({ flow, what: `replay of record ${diverged.record}`, ran: diverged.recorded, simulated: diverged.replayed });
  }
  return { differences, racing };
}

test(
  `random flows do what their simulations say, step by step (FLOW_SEED=${seed})`,
  async () => {
    const drawn = drawFlows(seed, count);
    const pen = new Pen(seed);
    let left = 0;
    for (let i = 0; i < count; i += AT_ONCE) {
      const { differences, racing } = await run(drawn.slice(i, i + AT_ONCE), pen);
      expect(differences).toEqual([]);
      left += racing;
      process.stderr.write(`${Math.min(i + AT_ONCE, count)} of ${count} random flows have run, ${left} are left out\n`);
    }
    expect(left).toBeLessThanOrEqual(2 + count / 20);
  },
  240_000 + count * 6_000,
);

const OFTEN = [
  ['ITEM', 'PAUSE', 'CONTINUE', 'branch', 'subflow', 'COMPLETED', 'CANCELED'],
  ['seller.action', 'buyer.action', 'event', 'elapsed', 'success', 'failed', 'skipped'],
  ['claim', 'claim approved', 'claim withdrawn', 'reduced'],
  ['refund', 'cancel', 'stock.restore', 'notify', 'fulfillment.record', 'tracking.start'],
  ['NOT_IN_STATE', 'FINISHED', 'CONDITION', 'FLOW_ACTION_INPUT_INVALID', 'CLAIM_IN_PROGRESS', 'ATTACHMENTS_INVALID'],
].flat();
const SELDOM = [
  'claim at once',
  'timeout',
  'stock.capture',
  'deadline.extend',
  'alert',
  'LIMIT_REACHED',
  'PERIOD_EXPIRED',
  'ATTACHMENTS_REQUIRED',
];
const whenMany = count >= 100 ? test : test.skip;
whenMany('whatever a flow can do occurs in them', () => {
  const missing = [...OFTEN, ...(count < 500 ? [] : SELDOM)].filter((what) => !coverage.seen.has(what));
  expect(missing).toEqual([]);
});
