/** A flow from its first draft to its versions: what is answered, what is refused, in which order (docs/contract.md#authoring). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PRESETS } from '../../../domain/flows/presets/index.ts';
import { world } from '../../kernel/world.ts';
import { acts, Author, edge, end, state, twoSteps } from './fixtures.ts';

let author: Author;
const AT = expect.stringMatching(/^20\d\d-.*\+09:00$/) as unknown as string;
beforeAll(async () => {
  author = new Author(await world());
});

test('from an empty draft to a second version', async () => {
  const created = await author.send('POST', '/v1/commerce-flows', { key: 'life', name: '생애' });
  const { flowId } = created.body.data as { flowId: string };
  expect([created.status, created.headers.get('location')]).toEqual([201, `/v1/commerce-flows/${flowId}`]);
  expect(created.body.data).toEqual({
    flowId,
    key: 'life',
    name: '생애',
    presetKey: null,
    defaultFor: null,
    draft: { version: 1, graph: expect.objectContaining({ schema: 1, edges: [], actions: [] }), updatedAt: AT },
    latestVersion: null,
    versions: [],
    createdAt: AT,
  });
  const path = `/v1/commerce-flows/${flowId}`;
  expect(created.body.data.draft.graph.states).toHaveLength(1);
  const blocked = await author.publish(flowId);
  expect([blocked.status, blocked.body.error!.code]).toEqual([409, 'PUBLISH_BLOCKED']);
  const check = (await author.send('POST', `${path}/draft/check`)).body.data;
  expect(check).toMatchObject({ publishable: false, blocking: blocked.body.error!.details!['blocking'] });
  expect(check.blocking[0]).toEqual({
    code: expect.any(String),
    message: expect.any(String),
    nodeId: expect.anything(),
    edgeId: null,
    actionKey: null,
    field: null,
    range: null,
  });

  const graph = twoSteps();
  const saved = await author.saveDraft(flowId, graph);
  expect(saved.body.data).toEqual({ flowId, version: 1, graph, updatedAt: AT });
  expect(await author.get(`${path}/draft`)).toEqual(saved.body.data);
  const published = await author.publish(flowId);
  expect([published.status, published.headers.get('location')]).toEqual([201, `${path}/versions/1`]);
  const first = { flowId, key: 'life', version: 1, graph, progression: 'ITEM', publishedAt: AT, inProgress: 0 };
  expect(published.body.data).toEqual(first);
  expect(await author.get(`${path}/versions/1`)).toEqual(first);

  expect(await author.code('GET', `${path}/draft`)).toBe('FLOW_DRAFT_NOT_FOUND');
  expect(await author.code('POST', `${path}/draft/publish`)).toBe('FLOW_UNCHANGED');
  expect((await author.send('POST', `${path}/draft/check`)).body.data).toMatchObject({ publishable: true, blocking: [] });
  expect(await author.get(path)).toMatchObject({ draft: null, latestVersion: 1, versions: [{ version: 1, inProgress: 0 }] });

  const longer = { ...graph, states: [...graph.states, state('spare')], edges: [...graph.edges, edge('spare', 'end', acts('finish'))] };
  expect((await author.saveDraft(flowId, longer)).body.data).toMatchObject({ version: 2 });
  expect((await author.saveDraft(flowId, graph)).body.data.graph).toEqual(graph);
  expect(await author.publishes(flowId)).toBe(2);
  const { items } = await author.get(`${path}/versions`);
  const { graph: _, ...head } = first;
  expect(items).toEqual([{ ...head, version: 2 }, head]);
});

test('a flow begins with any preset or with a graph, not with both', async () => {
  const { items } = await author.get('/v1/flow-presets');
  expect((items as { key: string }[]).map(({ key }) => key)).toEqual([
    'shipping-standard',
    'manual-standard',
    'custom-made',
    'food-delivery',
    'ticket',
    'stay',
  ]);
  for (const { key, graph } of PRESETS) {
    expect(await author.get(`/v1/flow-presets/${key}`)).toEqual({ ...(items as { key: string }[]).find((one) => one.key === key), graph });
    const flowId = await author.create(`my-${key}`, { presetKey: key });
    const flow = await author.get(`/v1/commerce-flows/${flowId}`);
    expect(flow).toMatchObject({ presetKey: key, defaultFor: null, draft: { graph } });
    expect(await author.publishes(flowId)).toBe(1);
  }
  const create = async (content: object) =>
    (await author.send('POST', '/v1/commerce-flows', { key: 'both', name: 'x', ...content })).body.error!;
  expect(await create({ presetKey: 'stay', graph: twoSteps() })).toMatchObject({
    code: 'VALIDATION_FAILED',
    fieldErrors: [{ field: 'graph' }],
  });
  expect(await create({ presetKey: 'none' })).toMatchObject({ code: 'FLOW_PRESET_NOT_FOUND' });
  expect(await author.code('GET', '/v1/flow-presets/none')).toBe('FLOW_PRESET_NOT_FOUND');
});

test('a key is taken for ever, those of the default flows too', async () => {
  await author.create('taken');
  for (const key of ['taken', 'shipping-standard', 'manual-standard'])
    expect(await author.code('POST', '/v1/commerce-flows', { key, name: 'x' })).toBe('FLOW_KEY_TAKEN');
  for (const key of ['', 'a', 'A-flow', '1st', 'with space', 'x'.repeat(41)]) {
    const { error } = (await author.send('POST', '/v1/commerce-flows', { key, name: ' ', more: 1 })).body;
    expect(error!.fieldErrors!.map(({ field }) => field).toSorted()).toEqual(['key', 'more', 'name']);
  }
});

test('the two default flows come first, and nobody edits them, whatever is sent', async () => {
  const { items, total } = await author.get('/v1/commerce-flows?size=3');
  expect(total).toBeGreaterThan(3);
  expect(items).toMatchObject([
    { key: 'shipping-standard', defaultFor: 'SHIPPING', latestVersion: 1, draft: null },
    { key: 'manual-standard', defaultFor: 'MANUAL', latestVersion: 1, draft: null },
    { defaultFor: null },
  ]);
  expect(Object.keys((items as { draft: object }[])[2]!.draft)).toEqual(['version', 'updatedAt']);
  const path = `/v1/commerce-flows/${(items as { flowId: string }[])[0]!.flowId}`;
  for (const body of [{ graph: twoSteps() }, {}, { graph: 1, more: 1 }, '{'])
    for (const [method, rest] of [
      ['PUT', '/draft'],
      ['POST', '/draft/publish'],
      ['POST', '/versions/1/migrate'],
      ['POST', '/versions/9/migrate'],
    ] as const)
      expect([method, rest, await author.code(method, path + rest, body)]).toEqual([method, rest, 'FLOW_DEFAULT_LOCKED']);
  expect(await author.get(`${path}/versions/1`)).toMatchObject({ key: 'shipping-standard', graph: { start: 'paid' } });
  expect((await author.send('POST', `${path}/draft/check`)).body.data).toMatchObject({ publishable: true, blocking: [] });
});

describe('a draft', () => {
  test('is judged by its form only, with every problem', async () => {
    const flowId = await author.create('form');
    const broken = {
      schema: 2,
      start: 'nowhere',
      states: [
        { id: '1', type: 'state', status: 'PAID', step: 'NOBODY', label: 'x'.repeat(41), more: 1 },
        { id: 'x', type: 'castle' },
        end(),
      ],
      actions: [{ key: 'go', by: 'nobody', label: 'go' }],
      edges: [{ id: '한글', from: 'a', to: 'b', on: { type: 'other' } }],
    };
    const { error } = (await author.saveDraft(flowId, broken as never)).body;
    expect(error!.code).toBe('VALIDATION_FAILED');
    expect(error!.fieldErrors!.map(({ field }) => field).toSorted()).toEqual([
      'graph.actions[0].by',
      'graph.edges[0].id',
      'graph.edges[0].on.type',
      'graph.schema',
      'graph.states[0].id',
      'graph.states[0].label',
      'graph.states[0].more',
      'graph.states[0].step',
      'graph.states[1].type',
    ]);
    const lost = { ...twoSteps(), start: 'nowhere', requires: { progression: 'NEVER' as never } };
    expect((await author.saveDraft(flowId, lost)).status).toBe(200);
    const { blocking } = (await author.send('POST', `/v1/commerce-flows/${flowId}/draft/check`)).body.data;
    expect((blocking as { code: string }[]).map(({ code }) => code)).toEqual(expect.arrayContaining(['START_INVALID', 'REQUIRES_INVALID']));
  });
  test('calls flows at their newest version, which the published one pins', async () => {
    const calling = (flow: string) => ({
      ...twoSteps(),
      states: [...twoSteps().states.filter(({ id }) => id !== 'made'), { id: 'made', type: 'call' as const, flow }],
      edges: [
        ...twoSteps().edges.filter(({ from }) => from !== 'made'),
        edge('made', 'end', { type: 'result', value: 'completed' }),
        { ...edge('made', 'gone', { type: 'result', value: 'canceled' }), id: 'made.gone' },
      ],
    });
    const inner = await author.create('inner');
    const outer = await author.create('outer', { graph: calling('inner') });
    const problems = async () => {
      const { blocking } = (await author.send('POST', `/v1/commerce-flows/${outer}/draft/check`)).body.data;
      return (blocking as { code: string; nodeId: string }[]).map(({ code, nodeId }) => [code, nodeId]);
    };
    expect(await problems()).toEqual([['CALL_TARGET_UNPUBLISHED', 'made']]);
    await author.saveDraft(outer, calling('no-such-flow'));
    expect(await problems()).toEqual([['CALL_TARGET_MISSING', 'made']]);
    await author.publishes(inner);
    await author.saveDraft(outer, calling('inner'));
    const pinned = async () => {
      const published = await author.publish(outer);
      expect(published.body.error).toBeNull();
      const { graph } = published.body.data as { graph: { states: { id: string; flow?: string }[] } };
      return graph.states.find(({ id }) => id === 'made')!.flow;
    };
    expect(await pinned()).toBe('inner@1');
    await author.publishes(inner, twoSteps());
    await author.saveDraft(outer, calling('inner@1'));
    expect(await pinned()).toBe('inner@2');
    // What calls it cannot be called by it.
    await author.saveDraft(inner, calling('outer'));
    const refused = await author.publish(inner);
    expect(refused.body.error).toMatchObject({ code: 'PUBLISH_BLOCKED', details: { blocking: [{ code: 'CALL_CYCLE', nodeId: 'made' }] } });
    await author.saveDraft(outer, calling('shipping-standard'));
    expect(await pinned()).toBe('shipping-standard@1');
  });
});

test('what is not there is not found, a number that is none too', async () => {
  const flowId = await author.published('found');
  const cases = [
    ['GET', '/v1/commerce-flows/flw_none', 'FLOW_NOT_FOUND'],
    ['GET', '/v1/commerce-flows/flw_none/draft', 'FLOW_NOT_FOUND'],
    ['PUT', '/v1/commerce-flows/flw_none/draft', 'VALIDATION_FAILED'],
    ['POST', '/v1/commerce-flows/flw_none/draft/publish', 'FLOW_NOT_FOUND'],
    ['POST', '/v1/commerce-flows/flw_none/draft/check', 'FLOW_NOT_FOUND'],
    ['GET', '/v1/commerce-flows/flw_none/versions', 'FLOW_NOT_FOUND'],
    ['GET', '/v1/commerce-flows/flw_none/versions/1', 'FLOW_NOT_FOUND'],
    ['POST', '/v1/commerce-flows/flw_none/versions/1/migrate', 'FLOW_NOT_FOUND'],
    ...['2', '0', '-1', '1.5', '01', 'one', '9999999999', '%00'].flatMap((version) => [
      ['GET', `/v1/commerce-flows/${flowId}/versions/${version}`, version === '%00' ? 'VALIDATION_FAILED' : 'FLOW_VERSION_NOT_FOUND'],
      [
        'POST',
        `/v1/commerce-flows/${flowId}/versions/${version}/migrate`,
        version === '%00' ? 'VALIDATION_FAILED' : 'FLOW_VERSION_NOT_FOUND',
      ],
    ]),
  ] as const;
  for (const [method, path, code] of cases)
    expect([method, path, await author.code(method, path, method === 'GET' ? undefined : {})]).toEqual([method, path, code]);
});

test('node types are told with schemas that every preset fits', async () => {
  const types = await author.get('/v1/flow-node-types');
  expect((types.nodeTypes as { type: string }[]).map(({ type }) => type)).toEqual(['state', 'end', 'parallel', 'join', 'call', 'external']);
  expect(types.platformActions).toHaveLength(6);
  expect((types.functions as { name: string }[]).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['pct', 'daysUntil', 'atTime', 'dayOfWeek', 'isHoliday', 'inRanges', 'lookupStep']),
  );
  for (const { schema } of types.nodeTypes as { schema: Record<string, unknown> }[])
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false });
});
