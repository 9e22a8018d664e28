/** Pictures of flows: whatever was typed, they are well-formed, escape it, carry no script, and cost a bounded time. */
import { describe as group, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describe as described, lengthOf } from '../../../api/flows/picture/describe.ts';
import { draw } from '../../../api/flows/picture/draw.ts';
import { layout } from '../../../api/flows/picture/layout.ts';
import { cut, escape, widthOf } from '../../../api/flows/picture/text.ts';
import type { Edge, Graph, Node } from '../../../domain/flows/graph/graph.ts';
import { PRESETS } from '../../../domain/flows/presets/index.ts';

/** Elements are closed in order, attributes are quoted, and texts have no markup; which elements and attributes there are. */
function parsed(svg: string): { readonly elements: ReadonlySet<string>; readonly attributes: ReadonlySet<string> } {
  const [elements, attributes, open] = [new Set<string>(), new Set<string>(), [] as string[]];
  const TOKEN = /<(\/?)([a-z]+)((?: [\w-]+="[^"<>]*")*)(\/?)>|([^<>]+)/gy;
  let end = 0;
  for (const [all, close, name, has = '', alone, text] of svg.matchAll(TOKEN)) {
    end += all.length;
    if (text !== undefined) {
      expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
      continue;
    }
    elements.add(name!);
    for (const [, attribute] of has.matchAll(/ ([\w-]+)="/g)) attributes.add(attribute!);
    if (close) expect(open.pop()).toBe(name);
    else if (!alone) open.push(name!);
  }
  expect([end, open]).toEqual([svg.length, []]);
  return { elements, attributes };
}
const state = (id: string, label = id): Node => ({ id, type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label });
const onEvent = (id: string, from: string, to: string): Edge => ({ id, from, to, on: { type: 'event', name: 'custom.x' } });
const graph = (states: readonly Node[], edges: readonly Edge[] = []): Graph => ({
  schema: 1,
  start: states[0]?.id ?? 'x',
  states,
  edges,
  actions: [],
});

test.each(PRESETS.map((preset) => [preset.key, preset] as const))('%s: every node and edge is in it', (_, { name, graph: drawn }) => {
  const svg = draw(drawn, name);
  parsed(svg);
  for (const { id, label } of drawn.states) for (const text of [id, label ?? id]) expect(svg).toContain(`>${escape(text)}<`);
  expect(draw(drawn, name)).toBe(svg);
});

group('whatever was typed', () => {
  const NASTY = [
    `</text><script>alert(1)</script>`,
    `" onload="x`,
    `&amp;<!--`,
    `]]>`,
    `<![CDATA[`,
    `\u0000\ud800\uffff`,
    `' href='javascript:x`,
  ];
  test.each(NASTY)('%j is text', (typed) => {
    const svg = draw(graph([state('a', typed), state(typed)], [onEvent(typed, 'a', typed)]), typed);
    const { elements, attributes } = parsed(svg);
    expect([...elements].toSorted()).toEqual(['circle', 'g', 'path', 'rect', 'svg', 'text', 'title']);
    expect([...attributes].filter((name) => /^on|href|style/.test(name))).toEqual([]);
    expect(svg.isWellFormed()).toBe(true);
  });
  test('draws any draft: nodes that are missing, twice there, alone, in circles', () => {
    const id = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '가');
    const states = fc.array(fc.tuple(id, fc.string({ unit: 'binary' })).map(([name, label]) => state(name, label)));
    const edges = fc.array(fc.tuple(fc.string({ unit: 'binary' }), id, id).map(([name, from, to]) => onEvent(name, from, to)));
    fc.assert(
      fc.property(states, edges, (nodes, lines) => void parsed(draw(graph(nodes, lines), 'x'))),
      { numRuns: 60 },
    );
  });
});

test('the way that an item took is lit, and the rest faded', () => {
  const { graph: ticket } = PRESETS.find(({ key }) => key === 'ticket')!;
  const way = { edges: new Set(['issue:failed']), passed: new Set(['paid', 'issue']), present: new Set(['manualIssue']) };
  const svg = draw(ticket, '예매', way);
  expect(svg.match(/stroke="#ea580c"/g)).toHaveLength(2);
  expect(svg).toMatch(/font-weight="700">실패</);
  expect(svg).not.toMatch(/font-weight="700">건너뜀</);
  expect(svg).toContain('opacity="0.4"');
  expect(draw(ticket, '예매')).not.toContain('#ea580c');
});

test('edges are labelled by what takes them, deadlines by their length, branches by their name', () => {
  const split: Node = {
    id: 'split',
    type: 'parallel',
    branches: [
      { key: 'l', start: 'l', label: '왼쪽' },
      { key: 'r', start: 'r' },
    ],
    join: 'j',
    deadline: 'P1DT12H',
  };
  const { boxes, lines } = described({
    ...graph([state('paid'), split, state('l'), state('r'), { id: 'j', type: 'join' }]),
    actions: [{ key: 'go', by: 'buyer', label: '시작' }],
    edges: [
      { id: '1', from: 'paid', to: 'split', on: { type: 'buyer.action', key: 'go' }, when: 'true' },
      { ...onEvent('2', 'l', 'j') },
      { id: '3', from: 'j', to: 'nowhere', on: { type: 'result', value: 'joined' } },
      { id: '4', from: 'paid', to: 'paid', on: { type: 'event', name: 'custom.y' }, internal: true },
    ],
  });
  const texts = lines.map((line) => [line.from, line.to, ...line.labels.map(({ text }) => text)]);
  expect(texts).toEqual([
    ['paid', 'split', '구매자: 시작 [조건]'],
    ['l', 'j', '이벤트: custom.x'],
    ['j', 'nowhere', '모두 합류'],
    ['split', 'l', '왼쪽'],
    ['split', 'r', 'r'],
  ]);
  expect(boxes.map(({ id, kind, branch }) => [id, kind, branch])).toEqual([
    ['paid', 'state', null],
    ['split', 'parallel', null],
    ['l', 'state', '왼쪽'],
    ['r', 'state', 'r'],
    ['j', 'join', null],
    ['nowhere', 'unknown', null],
  ]);
  expect(boxes[0]!.lines).toEqual(['↻ 이벤트: custom.y']);
  expect(boxes[1]!.lines).toEqual(['병렬 2갈래', '기한 1일 12시간']);
  expect(['PT5M', 'P2W', 'P', 'soon'].map(lengthOf)).toEqual(['5분', '2주', 'P', 'soon']);
});

test('Korean is wider than Latin, and what is longer than its place is cut', () => {
  expect(widthOf('가나다', 10)).toBe(30);
  expect(widthOf('abc', 10)).toBeLessThan(20);
  expect(cut('가나다라마', 10, 35)).toBe('가나…');
  expect(cut('가나다', 10, 30)).toBe('가나다');
});

test('however many branches a draft has, to nodes that are missing or there: 300 boxes and 1,200 lines are drawn', () => {
  const split = (target: (i: number, n: number) => string, count: number): Node[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `p${i}`,
      type: 'parallel',
      branches: Array.from({ length: 50 }, (__, n) => ({ key: `b${n}`, start: target(i, n) })),
      join: 'j',
    }));
  const missing = described(graph(split((i, n) => `x${i}_${n}`, 160)));
  expect([missing.boxes.length, missing.lines.length]).toEqual([300, 140]);
  const there = described(graph(split((i, n) => `p${(i + n) % 300}`, 300)));
  expect([there.boxes.length, there.lines.length]).toEqual([300, 1200]);
  for (const { boxes, lines } of [missing, there]) {
    const ids = new Set(boxes.map(({ id }) => id));
    expect(lines.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
  }
});

test('200 nodes and 600 edges: the library places a bounded part, every line is drawn', () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const ids = Array.from({ length: 200 }, (_, i) => `n${i}`);
  const pairs = Array.from({ length: 600 }, (_, i) => (i < 199 ? [random(i + 1), i + 1] : [random(200), random(200)]));
  const lines = pairs.map(([from, to]) => ({ from: `n${from}`, to: `n${to}`, labels: [], isBranch: false }));
  const placed = layout(
    new Map(ids.map((id) => [id, { width: 160, height: 60 }])),
    lines,
    lines.map(() => ({ width: 80, height: 14 })),
    'n0',
  );
  expect(placed.boxes.size).toBe(200);
  expect(
    placed.lines.every(({ points }) => points.length >= 2 && points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))),
  ).toBe(true);
  expect(placed.lines.filter(({ label }) => label !== null).length).toBeLessThan(300);
});
