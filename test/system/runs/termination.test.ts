/**
 * Every kind of run is terminated at each of its workflow tasks: before or after each transition and each call, so
 * also while a confirm or a delivery is under way. What Postgres, the provider and the receiver show stays the same.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CommandContent,
  type CommandEnvelope,
  orderGroupRun,
  runOf,
  WORKFLOW_TYPES,
  type WorkflowType,
} from '../../../workflows/kernel/messages.ts';
import { type RunName, wakeOptions } from '../../../workflows/kernel/start.ts';
import { PRESETS } from '../../../domain/flows/presets/index.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/kernel/time.ts';
import { noticeRun } from '../../../db/approvals/queries.ts';
import { newId } from '../../../db/kernel/clock.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { removeWebhook, resumeWebhook } from '../../../db/webhooks/commands.ts';
import { recordFailure } from '../../../db/webhooks/suspension.ts';
import { manyWaiting } from '../../kernel/deliveries.ts';
import { call } from '../../../bin/dev/client.ts';
import { Receiver, underTest } from '../../kernel/world.ts';
import { type Host, host } from './hosted.ts';
import { type InterruptionPoint, Interruptions, roundsOf } from './interruptions.ts';

let under: Host;
let receiver: Receiver;
let refusals = 0;
const interruptions = new Interruptions();
let guests = 0;
/** TERMINATIONS=all: each activity twice, before and after it. Else once: in turn before it and after it. */
const ALL_TERMINATIONS = process.env['TERMINATIONS'] === 'all';
const waysOf = (nth: number): readonly InterruptionPoint['when'][] => {
  if (ALL_TERMINATIONS) return ['before', 'after'];
  return nth % 2 === 0 ? ['after'] : ['before'];
};

beforeAll(async () => {
  receiver = await Receiver.listen((_, response) => void response.writeHead(refusals-- > 0 ? 500 : 200).end());
  under = await host({
    server: 'dev',
    around: ({ info }) => ({ inbound: { execute: (input, next) => interruptions.around(info, under.client, () => next(input)) } }),
  });
  await under.receiver(receiver.url);
}, 120_000);
afterAll(async () => {
  receiver.close();
  await under.close();
});

/** As a client does: the same key until there is an answer; the reconciler's wake brings back what nobody commands. */
async function sendUntilAnswered(
  run: RunName,
  name: CommandContent['name'],
  input: object,
  wait: CommandEnvelope['wait'] = 'committed',
): Promise<void> {
  const operation = { principal: 't', key: randomUUID(), id: 't', fingerprint: name };
  for (let tries = 0; ; tries++) {
    try {
      return await under.command(run, name, input, { operation, wait });
    } catch (error) {
      if (tries > 5) throw error;
      await sleep(50);
    }
  }
}
/** Brings a run back as often as it is gone, and moves its clock by `step`, until it is over. */
async function sustain(run: RunName, step: number | null, isOver: (status: string) => Promise<boolean> | boolean): Promise<void> {
  const handle = under.client.workflow.getHandle(run.workflowId);
  for (let tries = 0; tries < 120; tries++) {
    const status = await handle.describe().then(
      (description) => description.status.name,
      () => 'UNKNOWN',
    );
    if (await isOver(status)) return;
    if (status !== 'RUNNING') await under.client.workflow.signalWithStart(run.workflowType, wakeOptions(run));
    else if (step !== null && tries % 2 === 1) await under.advance(run, step).catch(() => {});
    await Promise.race([handle.result().catch(() => {}), sleep(250)]);
  }
  throw new Error(`${run.workflowId} does not end`);
}
const toTheEnd = (run: RunName, step: number): Promise<void> => sustain(run, step, (status) => status === 'COMPLETED');

/** Buys one item, ships it by courier, lets it be decided, and delivers its ORDER.PAID at the second attempt. What all may see of it. */
async function shopping(): Promise<object> {
  interruptions.passed = [];
  refusals = 1;
  const sent = receiver.received.length;
  const payment = await under.payment();
  const input = await under.authenticated(payment);
  await sendUntilAnswered(payment.run, 'pay', input, 'idle');
  await toTheEnd(payment.run, 3 * SECOND);
  const item = await under.itemOf(payment.orderNo);
  await sendUntilAnswered(item, 'confirm', {});
  await sendUntilAnswered(item, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumberId: await under.text('1') });
  await toTheEnd(item, 8 * DAY);
  const [delivery] = await under.rows<{ delivery_id: string }>(
    'SELECT d.delivery_id FROM webhook_delivery d ORDER BY d.created_at DESC, d.delivery_id DESC LIMIT 1',
  );
  const run: RunName = {
    ...(await under.deliveryRun(await webhookId())),
    entityId: delivery!.delivery_id,
    workflowId: `webhook/${under.storeId}/${delivery!.delivery_id}`,
  };
  await toTheEnd(run, MINUTE);
  const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as Record<string, unknown>[];
  const charged = ledger.find(({ orderId }) => orderId === payment.pgOrderId)!;
  const p = [payment.run.entityId];
  return {
    payment: await under.rows('SELECT status, result, attempt_count, call IS NULL AS at_rest FROM payment WHERE payment_id = ?', p),
    attempts: await under.rows('SELECT status, amount_won, is_unknown FROM payment_attempt WHERE payment_id = ?', p),
    orders: await under.rows('SELECT count(*)::int AS n FROM orders WHERE payment_id = ?', p),
    stock: await under.rows('SELECT quantity, reason FROM stock_movement WHERE reference = ?', [payment.attemptId]),
    item: await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [item.entityId]),
    steps: await under.rows(
      "SELECT seq, event ->> 'type' AS type, event ->> 'key' AS key FROM flow_step WHERE order_item_id = ? ORDER BY seq",
      [item.entityId],
    ),
    delivery: await under.rows('SELECT status, attempt_count, response_status_code FROM webhook_delivery WHERE delivery_id = ?', [
      run.entityId,
    ]),
    charged: { status: charged['status'], balance: charged['balanceAmount'], cancels: charged['cancels'] },
    sent: receiver.received.length - sent,
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
/** Invites somebody, mails it, and lets its seven days pass. */
async function inviting(): Promise<object> {
  interruptions.passed = [];
  const invitation = await under.invitation(`guest${guests++}@skip.example`);
  const p = [invitation.entityId];
  const isMailed = async () =>
    (await under.rows("SELECT 1 FROM invitation WHERE invitation_id = ? AND delivery_status = 'SENT'", p)).length > 0;
  await sustain(invitation, null, isMailed);
  await toTheEnd(invitation, 8 * DAY);
  return {
    invitation: await under.rows(
      'SELECT status, send_attempts, delivery_status, delivery_error_code FROM invitation WHERE invitation_id = ?',
      p,
    ),
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
/** Files a request, mails it, approves it and carries it out: a category that is there once. */
async function approving(): Promise<object> {
  interruptions.passed = [];
  const name = `category ${guests++}`;
  const approval = await under.approval({ id: 'categories.create', body: { name } });
  const notice = noticeRun(under.storeId);
  const p = [approval.entityId];
  const isMailed = async () =>
    (
      await under.rows(
        `SELECT 1 FROM approval_notice JOIN approval_request USING (store_id)
         WHERE approval_id = ? AND notice_round = round AND mails = '[]'`,
        p,
      )
    ).length > 0;
  // The mail of an earlier story delays this one's.
  await sustain(notice, 11 * MINUTE, async (status) => status === 'COMPLETED' && (await isMailed()));
  const [owner] = await under.rows<{ user_id: string }>('SELECT user_id FROM member');
  const decider = { userId: owner!.user_id, role: 'OWNER', scopes: ['category:rw'], via: 'CONSOLE' };
  await sendUntilAnswered(approval, 'approve', decider);
  await toTheEnd(approval, 3 * SECOND);
  return {
    approval: await under.rows(
      'SELECT status, decision, result_status, result_code, notice_round IS NULL AS unnoticed FROM approval_request WHERE approval_id = ?',
      p,
    ),
    categories: await under.rows('SELECT count(*)::int AS n FROM category WHERE name = ?', [name]),
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
/** Returns an item: held, released by the clock, collected, approved and paid back. */
async function returning(): Promise<object> {
  const payment = await under.payment();
  await sendUntilAnswered(payment.run, 'pay', await under.authenticated(payment), 'idle');
  await toTheEnd(payment.run, 3 * SECOND);
  const item = await under.itemOf(payment.orderNo);
  await sendUntilAnswered(item, 'confirm', {});
  await sendUntilAnswered(item, 'dispatch', { deliveryMethod: 'NONE' });
  interruptions.passed = [];
  const claim = await under.claim(item.entityId, { type: 'RETURN', reason: 'DEFECTIVE' });
  const p = [claim.entityId];
  const holds = async (text: string, values: readonly unknown[]) => (await under.rows(text, values)).length > 0;
  await sendUntilAnswered(claim, 'hold', { until: (await under.now()) + DAY });
  await sustain(claim, DAY, () => holds("SELECT 1 FROM claim WHERE claim_id = ? AND status = 'REQUESTED'", p));
  await sendUntilAnswered(claim, 'collect', { method: 'BUYER_SEND' });
  await sendUntilAnswered(claim, 'completeCollection', {});
  await sendUntilAnswered(claim, 'approve', { seen: 'COLLECTED' });
  await sustain(claim, null, (status) => status === 'COMPLETED');
  const paidBack = () => holds("SELECT 1 FROM refund WHERE payment_id = ? AND status = 'DONE'", [payment.run.entityId]);
  await sustain(payment.run, 3 * SECOND, async (status) => status === 'COMPLETED' && (await paidBack()));
  await sustain(item, null, (status) => status === 'COMPLETED');
  const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as Record<string, unknown>[];
  const charged = ledger.find(({ orderId }) => orderId === payment.pgOrderId)!;
  return {
    claim: await under.rows("SELECT status, amounts ->> 'refundAmount' AS refunded FROM claim WHERE claim_id = ?", p),
    history: (await under.rows<{ name: string }>('SELECT name FROM claim_step WHERE claim_id = ? ORDER BY seq', p)).map(({ name }) => name),
    records: await under.rows("SELECT count(*)::int AS n FROM audit_domain WHERE action = 'CLAIM_REFUNDED' AND target_id = ?", p),
    stock: await under.rows('SELECT quantity, reason FROM stock_movement WHERE reference = ?', p),
    item: await under.rows('SELECT status, canceled_quantity FROM order_item WHERE order_item_id = ?', [item.entityId]),
    paidBack: (charged['cancels'] as { cancelAmount: number }[]).map(({ cancelAmount }) => cancelAmount),
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
/** Buys what moves as a group, by the preset of food: accepted, brought, decided by the clock. */
async function eating(): Promise<object> {
  await under.inTenant((tx) => assignPreset(tx, 'food-delivery'));
  const payment = await under.payment();
  await sendUntilAnswered(payment.run, 'pay', await under.authenticated(payment), 'idle');
  await toTheEnd(payment.run, 3 * SECOND);
  await under.inTenant((tx) => assignPreset(tx, null));
  const item = await under.itemOf(payment.orderNo);
  const [row] = await under.rows<{ group_id: string; flow_key: string }>(
    'SELECT group_id, flow_key FROM order_item WHERE order_item_id = ?',
    [item.entityId],
  );
  const orderItemNo = `${payment.orderNo}01`;
  const group: RunName = orderGroupRun({ storeId: under.storeId, groupId: row!.group_id, orderItemNo, flowKey: row!.flow_key });
  interruptions.passed = [];
  const act = async (key: string, payload: object) => {
    const payloadId = await under.text(JSON.stringify(payload));
    return sendUntilAnswered(group, 'act', { side: 'seller', key, orderItemId: item.entityId, payloadId });
  };
  await act('accept', { input: { minutes: '15' } });
  await act('depart', { input: { deliveryMethod: 'DIRECT' } });
  await act('arrive', {});
  await toTheEnd(group, 2 * DAY);
  await sustain(item, null, (status) => status === 'COMPLETED');
  return {
    item: await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [item.entityId]),
    steps: await under.rows(
      "SELECT seq, event ->> 'type' AS type, event ->> 'key' AS key FROM flow_step WHERE order_item_id = ? ORDER BY seq",
      [item.entityId],
    ),
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
/** The product takes the newest version of this preset, drawn once; null: the default flow. */
async function assignPreset({ sql, storeId, at }: Tx, presetKey: string | null): Promise<void> {
  const graph = JSON.stringify(PRESETS.find(({ key }) => key === presetKey)?.graph ?? null);
  if (presetKey !== null) {
    await sql`INSERT INTO commerce_flow (store_id, flow_id, key, name, preset_key, latest_version, created_at)
      VALUES (${storeId}, 'flw_eating', 'eating', 'eating', ${presetKey}, 1, ${new Date(at)}) ON CONFLICT DO NOTHING`;
    await sql`INSERT INTO flow_version (store_id, flow_id, version, key, graph, bundle, progression, published_at)
      VALUES (${storeId}, 'flw_eating', 1, 'eating', ${graph}::jsonb, jsonb_build_object('', ${graph}::jsonb), 'ORDER_GROUP',
        ${new Date(at)})
      ON CONFLICT DO NOTHING`;
  }
  await sql`UPDATE product SET flow_id = ${presetKey === null ? null : 'flw_eating'} WHERE store_id = ${storeId}`;
}
/** Suspends a webhook for which 1,200 deliveries wait, lifts that, and deletes it. */
async function leaving(): Promise<object> {
  interruptions.passed = [];
  const { webhook } = await under.receiver('http://127.0.0.1:9/');
  const { storeId, webhookId: id } = webhook;
  const run: RunName = runOf('webhookSubscription', storeId, id);
  await under.rows(
    `INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, epoch, created_at)
     VALUES (?, ?, ?, '', 'ORDER.PAID', '', 'PENDING', 0, now())`,
    [storeId, newId('dlv', Date.now()), id],
  );
  for (const text of manyWaiting(id, 1199)) await under.rows(text);
  const isDone = async (status: string) =>
    status === 'COMPLETED' && (await under.rows('SELECT 1 FROM run WHERE entity_id = ? AND done_at IS NOT NULL', [id])).length > 0;
  const at = await under.now();
  const since = [new Date(at - 25 * HOUR), new Date(at), id];
  await under.rows(`UPDATE webhook SET first_failure_at = ?, last_failure_at = ? WHERE webhook_id = ?`, since);
  await under.inTenant((tx) => recordFailure(tx, webhook));
  await sustain(run, null, isDone);
  const ended = await under.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM webhook_delivery WHERE webhook_id = ? AND error_code = 'WEBHOOK_SUSPENDED' GROUP BY xmin::text`,
    [id],
  );
  await under.inTenant((tx) => resumeWebhook(tx, id));
  await under.inTenant((tx) => removeWebhook(tx, id));
  await sustain(run, null, isDone);
  return {
    ended: ended.reduce((sum, { n }) => sum + n, 0),
    isBounded: ended.every(({ n }) => n <= 500),
    webhook: await under.rows('SELECT 1 FROM webhook WHERE webhook_id = ?', [id]),
    deliveries: await under.rows('SELECT 1 FROM webhook_delivery WHERE webhook_id = ?', [id]),
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}
const webhookId = async () => (await under.rows<{ webhook_id: string }>('SELECT webhook_id FROM webhook'))[0]!.webhook_id;

interface Story {
  readonly play: () => Promise<object>;
  /** What comes out of it, beside that it is the same each time. */
  readonly expected: object;
}
const STORIES = {
  'a purchase': { play: shopping, expected: { sent: 2, open: [], orders: [{ n: 1 }] } },
  'a webhook that is suspended and deleted': {
    play: leaving,
    expected: { ended: 1200, isBounded: true, webhook: [], deliveries: [], open: [] },
  },
  'an approval request': {
    play: approving,
    expected: {
      open: [],
      categories: [{ n: 1 }],
      approval: [{ status: 'SUCCEEDED', decision: 'APPROVE', result_status: 201, unnoticed: false }],
    },
  },
  'a return': {
    play: returning,
    expected: { open: [], records: [{ n: 1 }], history: ['request', 'hold', 'release', 'collect', 'completeCollection', 'approve'] },
  },
  'an order that moves as a group': { play: eating, expected: { open: [], item: [{ status: 'PURCHASE_DECIDED' }] } },
  'an invitation': { play: inviting, expected: { open: [], invitation: [{ status: 'EXPIRED', delivery_status: 'SENT' }] } },
} satisfies Readonly<Record<string, Story>>;
type StoryName = keyof typeof STORIES;
/** The stories in which the runs of each type are terminated: one at least. Of what else a story needs, the runs are left alone. */
const TERMINATED: Readonly<Record<WorkflowType, readonly [StoryName, ...StoryName[]]>> = {
  payment: ['a purchase', 'a return'],
  orderItem: ['a purchase'],
  webhookDelivery: ['a purchase'],
  webhookSubscription: ['a webhook that is suspended and deleted'],
  approval: ['an approval request'],
  approvalNotice: ['an approval request'],
  claim: ['a return'],
  orderGroup: ['an order that moves as a group'],
  invitation: ['an invitation'],
};

describe('termination', () => {
  test.each(Object.entries<Story>(STORIES))(
    '%s, at every workflow task: the run comes back and everything is as if nothing had happened',
    async (name, { play: story, expected }) => {
      const kinds = WORKFLOW_TYPES.filter((type) => TERMINATED[type].some((one) => one === name));
      const undisturbed = await story();
      expect(undisturbed).toMatchObject(expected);
      const points: InterruptionPoint[] = [...Map.groupBy(interruptions.passed, ({ kind }) => kind)].flatMap(([kind, activities]) =>
        kinds.includes(kind) ? activities.flatMap((_, nth) => waysOf(nth).map((when) => ({ kind, nth, when }))) : [],
      );
      expect(new Set(points.map(({ kind }) => kind))).toEqual(new Set(kinds));
      const missed: InterruptionPoint[] = [];
      const earlier = interruptions.struck.length;
      for (const round of roundsOf(points)) {
        const before = interruptions.struck.length;
        interruptions.targets = round;
        // How often a run loads again depends on the moment of a wake, so the last two of a kind may not come up every time.
        for (let tries = 0; tries < 5 && interruptions.targets.length > 0; tries++) {
          const armed = interruptions.targets;
          expect({ armed, ...(await story()) }).toEqual({ armed, ...undisturbed });
        }
        missed.push(...interruptions.targets);
        interruptions.targets = [];
        for (const workflowId of interruptions.struck.slice(before)) {
          const { status } = await under.client.workflow.getHandle(workflowId).describe();
          expect(status.name).toBe('COMPLETED');
        }
      }
      const most = ALL_TERMINATIONS ? 4 : 2;
      expect(missed.length).toBeLessThanOrEqual(most);
      expect(interruptions.struck.length - earlier).toBeGreaterThanOrEqual(Math.max(points.length - most, points.length / 2));
    },
    240_000,
  );
});
