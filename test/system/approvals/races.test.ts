/** Decisions at the same time: exactly one is carried out, and what was not approved does not happen. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../../bin/dev/client.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent();
  // Both are logged in before anything races.
  await Promise.all([desk.person('owner'), desk.person('admin')]);
});
afterAll(() => desk.close());

/** Of each race; `npm run stress` has a hundred. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 6);
const AT_ONCE = 5;
/** Runs a race so many times, a few at once. `round`: counted from 0. */
async function rounds(race: (name: string, round: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < ROUNDS; n += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, ROUNDS - n) }, (_, i) => n + i);
    await Promise.all(some.map((round) => race(`category ${made++}`, round)));
  }
}
let made = 0;
const wanted = (name: string) => ({ id: 'categories.create', body: { name } });
const count = async (name: string) =>
  (await query('SELECT 1 FROM category WHERE store_id = $1 AND name = $2', [desk.shop.store.storeId, name])).length;
const outcomeOf = ({ status, body }: Reply) => (status === 200 ? (body.data.status as string) : body.error!.code);
/** What the record says in the end. */
async function final(approvalId: string): Promise<string> {
  for (;;) {
    const { status } = (await desk.read(approvalId)).body.data as { status: string };
    if (status !== 'EXECUTING') return status;
    await sleep(50);
  }
}

test('two approvers: one approves, the other is told that it is decided', async () => {
  await rounds(async (name) => {
    const approvalId = await desk.created(agent, wanted(name));
    const replies = await Promise.all([desk.decide(approvalId, 'approve', 'owner'), desk.decide(approvalId, 'approve', 'admin')]);
    expect(replies.map(outcomeOf).toSorted()).toEqual(['APPROVAL_NOT_PENDING', 'SUCCEEDED']);
    expect([await final(approvalId), await count(name)]).toEqual(['SUCCEEDED', 1]);
  });
}, 120_000);

test('approve and reject: one of them', async () => {
  const seen = new Set<string>();
  await rounds(async (name) => {
    const approvalId = await desk.created(agent, wanted(name));
    const replies = await Promise.all([desk.decide(approvalId, 'approve', 'owner'), desk.decide(approvalId, 'reject', 'admin')]);
    const status = await final(approvalId);
    seen.add(status);
    const expected = status === 'REJECTED' ? ['APPROVAL_NOT_PENDING', 'REJECTED', 0] : ['SUCCEEDED', 'APPROVAL_NOT_PENDING', 1];
    expect([...replies.map(outcomeOf), await count(name)]).toEqual(expected);
  });
  expect([...seen].every((status) => ['SUCCEEDED', 'REJECTED'].includes(status))).toBe(true);
}, 120_000);

test('approve and the end of its time: approved before it, or expired', async () => {
  const seen = new Set<string>();
  await rounds(async (name, round) => {
    // The first is approved long before its time ends, the second after it, the others around it.
    const approvalId = await desk.expiring(agent, wanted(name), round === 0 ? 60_000 : 250);
    await sleep(round === 1 ? 300 : Math.random() * 300);
    const outcome = outcomeOf(await desk.decide(approvalId, 'approve'));
    seen.add(outcome);
    const status = await final(approvalId);
    expect([outcome, status, await count(name)]).toEqual(
      outcome === 'SUCCEEDED' ? ['SUCCEEDED', 'SUCCEEDED', 1] : ['APPROVAL_EXPIRED', 'EXPIRED', 0],
    );
  });
  expect(seen).toEqual(new Set(['SUCCEEDED', 'APPROVAL_EXPIRED']));
}, 120_000);
