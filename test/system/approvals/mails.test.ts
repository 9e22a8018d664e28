/** Mails about approval requests: one at once, later ones together, to those who could approve. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { employ, type Mail, mailsTo } from '../../kernel/login.ts';
import { query, until, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
const desks: Desk[] = [];
beforeEach(async () => {
  desk = await Desk.open(await world());
  desks.push(desk);
  agent = await desk.agent();
});
afterAll(() => Promise.all(desks.map((one) => one.close())));

let names = 0;
const created = (approverRole: 'OWNER' | 'ADMIN' = 'ADMIN') =>
  desk.created(agent, { id: 'categories.create', body: { name: `category ${names++}` }, changes: { approverRole } });
const mails = (role: string, n: number): Promise<Mail[]> =>
  until(`${n} mails to ${role}`, async () => {
    const all = await mailsTo(desk.email(role));
    return all.length >= n && all;
  });
const counts = async () => Promise.all(['owner', 'admin', 'staff'].map(async (role) => (await mailsTo(desk.email(role))).length));
const quiet = () =>
  until('nothing is to be mailed', async () => {
    const { storeId } = desk.shop.store;
    return (await query("SELECT 1 FROM approval_notice WHERE store_id = $1 AND mails = '[]'", [storeId])).length > 0;
  });

test('the first is mailed at once, later ones together ten minutes after it, without what was decided meanwhile', async () => {
  const first = await created();
  const [mail] = await mails('owner', 1);
  await mails('admin', 1);
  const url = (await desk.read(first)).body.data.approvalUrl as string;
  expect(mail!.subject).toContain('시험 상점');
  for (const part of [mail!.text, mail!.html]) {
    expect(part).toContain('categories.create');
    expect(part).toContain(url);
    expect(part).not.toContain('token=');
  }
  const [second, third, fourth] = [await created(), await created(), await created()];
  await desk.decide(third, 'reject');
  await desk.shop.advance('PT9M');
  expect(await counts()).toEqual([1, 1, 0]);
  await desk.shop.advance('PT2M');
  const [, later] = await mails('owner', 2);
  expect([first, second, third, fourth].map((id) => later!.text.includes(id))).toEqual([false, true, false, true]);
  await mails('admin', 2);
  await desk.shop.advance('PT1H');
  expect(await counts()).toEqual([2, 2, 0]);
});

test('none left, no mail; and a store that was quiet again is mailed at once', async () => {
  await created();
  await mails('admin', 1);
  const second = await created();
  await desk.decide(second, 'reject');
  await desk.shop.advance('PT1H');
  expect(await counts()).toEqual([1, 1, 0]);
  await created();
  await mails('owner', 2);
});

test('what only the OWNER may approve is mailed to the OWNER only', async () => {
  await created('OWNER');
  await mails('owner', 1);
  await quiet();
  expect(await counts()).toEqual([1, 0, 0]);
});

test('a mail that fails is tried again and holds up nothing else', async () => {
  const { storeCode, storeId } = desk.shop.store;
  await employ(desk.shop, `later@${storeCode}.example`, 'ADMIN');
  const approvalId = await created();
  await mails('owner', 1);
  const attempts = async () =>
    (await query<{ n: number }>(`SELECT (mails -> 0 ->> 'attempts')::int AS n FROM approval_notice WHERE store_id = $1`, [storeId]))[0]?.n;
  await until('tried once', async () => ((await attempts()) ?? 0) >= 1);
  expect((await desk.decide(approvalId, 'approve')).body.data.status).toBe('SUCCEEDED');
  await desk.shop.advance('PT1H');
  await quiet();
  expect((await desk.read(approvalId)).body.data.status).toBe('SUCCEEDED');
});
