/** Checks and rehearsals of flows change nothing: for agents they count no action, have no dry run, and leave their record. */
import { expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { underTest, world } from '../../kernel/world.ts';
import { twoSteps } from '../flows/fixtures.ts';

test('an agent without actions left checks, simulates and replays, whatever the header of dry runs says', async () => {
  const shop = await world({ aiActionsLimit: 0 });
  const desk = await Desk.open(shop);
  const { headers } = await desk.agent(['flow:rw']);
  const { orderItemId } = await shop.order();
  const flow = await shop.seller.call('POST', '/v1/commerce-flows', { key: 'rehearsed', name: '연습', graph: twoSteps() });
  const draft = `/v1/commerce-flows/${flow.body.data.flowId as string}/draft`;
  const rehearsals = [
    ['flows.check', 'check', {}, 'publishable'],
    ['flows.simulate', 'simulate', { steps: [{ event: { type: 'start' } }] }, 'steps'],
    ['flows.replay', 'replay', { orderItemId }, 'records'],
  ] as const;
  const records = new Map<string, string>();
  for (const [id, path, body, field] of rehearsals)
    for (const dryRun of ['0', '1', 'perhaps']) {
      const sent = { body, headers: { ...headers, 'x-svc-dry-run': dryRun } };
      const reply = await call(underTest.api, 'POST', `${draft}/${path}`, sent);
      expect([id, dryRun, reply.status, reply.body.meta.code, Object.keys(reply.body.data as object)]).toEqual([
        id,
        dryRun,
        200,
        'OK',
        expect.arrayContaining([field]),
      ]);
      records.set(reply.body.meta.requestId, id);
    }
  const { aiActionsUsed } = (await shop.seller.call('GET', '/v1/store/subscription')).body.data as { aiActionsUsed: number };
  expect(aiActionsUsed).toBe(0);
  const log = await call(underTest.api, 'GET', '/v1/audit-logs?limit=50&actorType=AGENT', { headers: await desk.person('owner') });
  const items = log.body.data.items as { requestId: string; action: string; outcome: string }[];
  expect(items).toHaveLength(records.size);
  for (const { requestId, action, outcome } of items) expect([action, outcome]).toEqual([records.get(requestId), 'SUCCEEDED']);
  // A change would be an action.
  const saved = await call(underTest.api, 'PUT', draft, { body: { graph: twoSteps() }, headers });
  expect([saved.status, saved.body.error?.code]).toEqual([429, 'PLAN_AI_ACTIONS_EXCEEDED']);
  await desk.close();
});
