import { expect, test } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADDRESS, GUEST } from '../../../bin/dev/client.ts';
import { temporalClient, underTest } from '../../kernel/world.ts';
import { story } from './story.ts';

const CANARIES = ['카나리아', 'canary', ADDRESS.phone, GUEST.phone, GUEST.email, ADDRESS.address1, GUEST.orderPassword, 'whsec_', 'svcs_'];

test('no history and no log holds personal data or a secret', async () => {
  const client = await temporalClient();
  const { shop, receiver, workflowIds } = await story();
  const found: string[] = [];
  const search = (where: string, text: string) =>
    found.push(...CANARIES.filter((canary) => text.includes(canary)).map((canary) => `${where}: ${canary}`));
  for (const workflowId of workflowIds) {
    const handle = client.workflow.getHandle(workflowId);
    const history = historyToJSON(await handle.fetchHistory());
    // Payloads are base64 in the JSON: look inside them.
    const inside = history.replaceAll(/"data":\s*"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString('utf8'));
    expect(inside).toContain(shop.store.storeId);
    search(workflowId, inside);
    search(workflowId, JSON.stringify((await handle.describe()).searchAttributes));
  }
  const logs = underTest.dataDir;
  for (const file of readdirSync(logs).filter((name) => /^(api|worker)\.log$/.test(name)))
    search(file, readFileSync(join(logs, file), 'utf8'));
  expect(found).toEqual([]);
  expect(receiver.received.every(({ body }) => !CANARIES.some((canary) => body.includes(canary)))).toBe(true);
  expect(shop.store.storeId).toBeTruthy();
  receiver.close();
});
