/** Decisions through `/mcp`: by a form that the person confirms, for clients of both generations. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownApi } from '../../kernel/api.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { callBare, connect, emailOf, type Generation, GENERATIONS, mcpToken } from '../../kernel/mcp.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let robot: string;
let token: string;
/** Waits for a form's answer for one second. */
let impatient: Awaited<ReturnType<typeof ownApi>>;
beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = await storeToken(emailOf(shop, 'owner'), shop.store.storeId);
  [{ token: robot }, { token }, impatient] = await Promise.all([
    mcpToken(shop, owner, 'owner'),
    mcpToken(shop, owner, 'owner'),
    ownApi({ PUBLIC_URL: underTest.api, MCP_FORM_SECONDS: '1' }),
  ]);
});
afterAll(() => impatient?.stop());

/** Files the cancel of a new order's item; the ids of request and item. */
async function requested(): Promise<{ readonly approvalId: string; readonly orderItemId: string }> {
  const { orderItemId } = await shop.order();
  const request = { method: 'POST', path: `/v1/order-items/${orderItemId}/cancel`, body: { reason: 'OUT_OF_STOCK' } };
  const { body } = await callBare(robot, 'api_call', request);
  return { approvalId: body.result.structuredContent.data.approvalId as string, orderItemId };
}
const statusOf = async (approvalId: string): Promise<string> =>
  (await call(underTest.api, 'GET', `/v1/approval-requests/${approvalId}`, { headers: { authorization: `Bearer ${owner}` } })).body.data
    .status as string;
const ACCEPT = { action: 'accept', content: { confirm: true } };

describe.each(GENERATIONS)('%s', (generation: Generation) => {
  test('an accepted form decides: the message names operation, target and changes, the record who and through what', async () => {
    const { approvalId, orderItemId } = await requested();
    let form: { message: string; requestedSchema: unknown } | undefined;
    const client = await connect(generation, token, {
      answer: (shown) => {
        form = shown;
        return ACCEPT;
      },
    });
    const { structuredContent, content, isError } = await client.call('approvals_decide', { approvalId, decision: 'approve', note: '네' });
    expect([isError ?? false, JSON.parse(content[0]!.text)]).toEqual([false, structuredContent]);
    expect(structuredContent).toMatchObject({ approvalId, status: 'SUCCEEDED', decisionNote: '네', result: { statusCode: 200 } });
    expect((await shop.item(orderItemId)).status).toBe('CANCELED');
    expect(form?.requestedSchema).toMatchObject({ type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] });
    for (const part of ['orders.cancel', orderItemId, 'status', 'refundAmount', approvalId, 'Your note: "네"'])
      expect(form?.message).toContain(part);
    const logs = await call(underTest.api, 'GET', `/v1/audit-logs?action=APPROVAL_DECIDED&limit=100`, {
      headers: { authorization: `Bearer ${owner}` },
    });
    expect(logs.body.data.items.find((item: { target: { id: string } }) => item.target.id === approvalId)).toMatchObject({
      actor: { type: 'USER', id: structuredContent.approver.userId },
      metadata: { decision: 'APPROVE', via: 'MCP_ELICITATION' },
    });
    await client.close();
  });
  test('what has changed under the form is not approved: the client is told what would happen now', async () => {
    const { approvalId, orderItemId } = await requested();
    const client = await connect(generation, token, {
      answer: async () => {
        // Whoever else decides what it shows by now: here, an approver at the console who learns that an item is gone.
        await query(`UPDATE approval_request SET preview = preview || '{"facts": {"refundAmount": 1}}' WHERE approval_id = $1`, [
          approvalId,
        ]);
        return ACCEPT;
      },
    });
    const { structuredContent, isError } = await client.call('approvals_decide', { approvalId, decision: 'approve' });
    expect([isError, structuredContent.error.code, structuredContent.error.details.preview.facts]).toEqual([
      true,
      'APPROVAL_STALE',
      { refundAmount: 1 },
    ]);
    expect([await statusOf(approvalId), (await shop.item(orderItemId)).status]).toEqual(['PENDING', 'PAID']);
  });
  test('a rejection is confirmed likewise', async () => {
    const { approvalId, orderItemId } = await requested();
    const client = await connect(generation, token, { answer: () => ACCEPT });
    const { structuredContent } = await client.call('approvals_decide', { approvalId, decision: 'reject' });
    expect(structuredContent).toMatchObject({ approvalId, status: 'REJECTED', result: null });
    expect((await shop.item(orderItemId)).status).toBe('PAID');
    const again = await client.call('approvals_decide', { approvalId, decision: 'approve' });
    expect(again).toMatchObject({ isError: true, structuredContent: { data: null, error: { code: 'APPROVAL_NOT_PENDING' } } });
    await client.close();
  });
  test('decline, cancel and an unticked box change nothing', async () => {
    const { approvalId } = await requested();
    for (const answer of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { confirm: false } }]) {
      const client = await connect(generation, token, { answer: () => answer });
      const { structuredContent, isError } = await client.call('approvals_decide', { approvalId, decision: 'approve' });
      expect([isError ?? false, structuredContent]).toEqual([false, { approvalId, status: 'PENDING', confirmed: false }]);
      await client.close();
    }
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('a client that shows no forms gets the address, also one that only opens pages', async () => {
    const { approvalId } = await requested();
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const client = await connect(generation, token, { capabilities });
      const { structuredContent } = await client.call('approvals_decide', { approvalId, decision: 'approve' });
      expect(structuredContent).toEqual({
        approvalId,
        status: 'PENDING',
        approvalUrl: expect.stringMatching(/^https?:.*\/approvals\/apr_/),
      });
      await client.close();
    }
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('an answer after the time is over changes nothing', async () => {
    const { approvalId } = await requested();
    const late = async () => {
      await sleep(1500);
      return ACCEPT;
    };
    const client = await connect(generation, token, { answer: late, capabilities: { elicitation: { form: {} } } }, impatient.api);
    await expect(client.call('approvals_decide', { approvalId, decision: 'approve' })).rejects.toThrow();
    await sleep(1000);
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('lists and shows what waits', async () => {
    const { approvalId } = await requested();
    const client = await connect(generation, token);
    const { items } = (await client.call('approvals_list')).structuredContent;
    expect(items.every(({ status }: { status: string }) => status === 'PENDING')).toBe(true);
    const listed = items.find((item: { approvalId: string }) => item.approvalId === approvalId);
    expect(listed).not.toHaveProperty('request');
    const shown = (await client.call('approvals_get', { approvalId })).structuredContent;
    const { changesTruncated, ...common } = listed;
    expect(changesTruncated).toBe(false);
    expect(shown).toMatchObject({ ...common, request: { method: 'POST', body: { reason: 'OUT_OF_STOCK' } } });
    expect((await client.call('approvals_list', { status: 'NONE' })).structuredContent.error.code).toBe('INVALID_PARAMETER');
    expect((await client.call('approvals_get', { approvalId: 'apr_none' })).structuredContent.error.code).toBe('APPROVAL_NOT_FOUND');
    await client.close();
  });
});

describe('the state of a form', () => {
  const decide = (approvalId: string, more: object = {}, by = token, decision = 'approve') =>
    callBare(by, 'approvals_decide', { approvalId, decision }, more);
  const formOf = async (approvalId: string): Promise<string> => {
    const { body } = await decide(approvalId);
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create', params: { mode: 'form' } } },
    });
    return body.result.requestState as string;
  };
  const inputResponses = { confirm: ACCEPT };

  test('is for the note that the person saw', async () => {
    const { approvalId } = await requested();
    const decideWith = (note: string, more: object = {}) =>
      callBare(token, 'approvals_decide', { approvalId, decision: 'approve', note }, more);
    const { requestState } = (await decideWith('seen')).body.result;
    for (const refused of [
      await decideWith('another', { inputResponses, requestState }),
      await decide(approvalId, { inputResponses, requestState }),
    ])
      expect(refused.body.error?.code).toBe(-32_602);
    expect(await statusOf(approvalId)).toBe('PENDING');
    const decided = await decideWith('seen', { inputResponses, requestState });
    expect(decided.body.result.structuredContent).toMatchObject({ status: 'SUCCEEDED', decisionNote: 'seen' });
  });
  test('is not made up: an answer without it shows the form again', async () => {
    const { approvalId } = await requested();
    expect((await decide(approvalId, { inputResponses })).body.result.resultType).toBe('input_required');
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('is good once: after a decline an accept with it is refused', async () => {
    const { approvalId } = await requested();
    const requestState = await formOf(approvalId);
    const declined = await decide(approvalId, { requestState, inputResponses: { confirm: { action: 'decline' } } });
    expect(declined.body.result.structuredContent).toEqual({ approvalId, status: 'PENDING', confirmed: false });
    expect((await decide(approvalId, { requestState, inputResponses })).body.error.code).toBe(-32_602);
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('of ten answers at once one decides', async () => {
    const { approvalId } = await requested();
    const requestState = await formOf(approvalId);
    const all = await Promise.all(Array.from({ length: 10 }, () => decide(approvalId, { requestState, inputResponses })));
    expect(all.filter(({ body }) => body.result?.structuredContent.status === 'SUCCEEDED')).toHaveLength(1);
  });
  test('is for one approval, one decision, one person through one client', async () => {
    const [one, other] = [await requested(), await requested()];
    const requestState = await formOf(one.approvalId);
    const { token: admin } = await mcpToken(shop, owner, 'admin');
    const wrong = await Promise.all([
      decide(other.approvalId, { requestState, inputResponses }),
      decide(one.approvalId, { requestState, inputResponses }, token, 'reject'),
      decide(one.approvalId, { requestState, inputResponses }, admin),
      decide(one.approvalId, { requestState, inputResponses }, robot),
      decide(one.approvalId, { requestState: `${requestState}x`, inputResponses }),
      decide(one.approvalId, { requestState: 'made up', inputResponses }),
    ]);
    expect(wrong.map(({ body }) => body.error?.code)).toEqual(wrong.map(() => -32_602));
    expect([await statusOf(one.approvalId), await statusOf(other.approvalId)]).toEqual(['PENDING', 'PENDING']);
  });
});

describe('who decides', () => {
  const code = async (by: string, name: string, input: object) =>
    (await callBare(by, name, input)).body.result.structuredContent.error?.code;

  test('needs to be OWNER or ADMIN, with store:rw and the scopes of the operation', async () => {
    const { approvalId } = await requested();
    const input = { approvalId, decision: 'reject' };
    const [staff, reader, narrow] = await Promise.all([
      mcpToken(shop, owner, 'staff'),
      mcpToken(shop, owner, 'admin', 'order:rw store:r'),
      mcpToken(shop, owner, 'admin', 'store:rw'),
    ]);
    expect(await code(staff.token, 'approvals_decide', input)).toBe('INSUFFICIENT_ROLE');
    expect(await code(staff.token, 'approvals_list', {})).toBe('INSUFFICIENT_ROLE');
    expect(await code(staff.token, 'approvals_get', { approvalId })).toBe('INSUFFICIENT_ROLE');
    expect(await code(reader.token, 'approvals_decide', input)).toBe('INSUFFICIENT_SCOPE');
    expect(await code(reader.token, 'approvals_list', {})).toBe('INSUFFICIENT_SCOPE');
    expect(await code(narrow.token, 'approvals_decide', input)).toBe('INSUFFICIENT_SCOPE');
    expect(await code(narrow.token, 'approvals_list', {})).toBeUndefined();
    expect(await code(token, 'approvals_decide', { ...input, approvalId: 'apr_none' })).toBe('APPROVAL_NOT_FOUND');
    expect(await statusOf(approvalId)).toBe('PENDING');
  });
  test('reads their own requests whatever their role is', async () => {
    const { token: staff } = await mcpToken(shop, owner, 'staff', 'order:rw');
    const { orderItemId } = await shop.order();
    const request = { method: 'POST', path: `/v1/order-items/${orderItemId}/cancel`, body: { reason: 'OUT_OF_STOCK' } };
    const { approvalId } = (await callBare(staff, 'api_call', request)).body.result.structuredContent.data;
    expect((await callBare(staff, 'approvals_get', { approvalId })).body.result.structuredContent).toMatchObject({ approvalId });
  });
  test('is checked again at the decision: a role that is lost while the form is open', async () => {
    const { approvalId } = await requested();
    const { token: admin } = await mcpToken(shop, owner, 'admin');
    const demote = (role: string) =>
      query(`UPDATE member m SET role = $3 FROM user_account u WHERE u.user_id = m.user_id AND m.store_id = $1 AND u.email = $2`, [
        shop.store.storeId,
        emailOf(shop, 'admin'),
        role,
      ]);
    const client = await connect('2025-11-25', admin, {
      answer: async () => {
        await demote('STAFF');
        return ACCEPT;
      },
    });
    const refused = await client.call('approvals_decide', { approvalId, decision: 'approve' });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'INSUFFICIENT_ROLE' } } });
    await demote('ADMIN');
    expect(await statusOf(approvalId)).toBe('PENDING');
    await client.close();
  });
});
