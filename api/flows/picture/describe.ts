/** What a picture says of a graph, drafts that are wrong included: boxes with their lines, and lines between them with their labels. */
import type { Edge, Graph, Node, Trigger } from '../../../domain/flows/graph/graph.ts';

export type BoxType = Node['type'] | 'unknown';
export interface Box {
  readonly id: string;
  readonly kind: BoxType;
  /** The public status, or the outcome of an end. */
  readonly status: string | null;
  readonly title: string;
  readonly lines: readonly string[];
  /** The branches of parallel nodes that it runs in. */
  readonly branch: string | null;
  readonly isStart: boolean;
}
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly { readonly edgeId: string | null; readonly text: string }[];
  /** From a parallel node to where a branch begins. */
  readonly isBranch: boolean;
}
export interface Described {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** How much of a draft is drawn, missing nodes and the lines to branches included; a published flow has less. */
const MAX_BOXES = 300;
const MAX_EDGES = 1200;
const MAX_LINES = 6;

export function describe(graph: Graph): Described {
  const states = graph.states.slice(0, MAX_BOXES);
  const edges = graph.edges.slice(0, MAX_EDGES);
  const nodes = new Map(states.map((node) => [node.id, node]));
  const branches = branchesOf(states, edges);
  const internal = Map.groupBy(
    edges.filter((edge) => edge.internal),
    ({ from }) => from,
  );
  const known = states.map((node) => boxOf(graph, node, internal.get(node.id) ?? [], branches.get(node.id) ?? null));
  const lines = linesOf(graph, nodes, edges).slice(0, MAX_EDGES);
  const named = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const unknown = [...named].filter((id) => !nodes.has(id)).map((id): Box => ({ ...UNKNOWN, id, title: id }));
  const once = new Map([...known, ...unknown].slice(0, MAX_BOXES).map((box) => [box.id, box]));
  return { boxes: [...once.values()], lines: lines.filter(({ from, to }) => once.has(from) && once.has(to)) };
}
const UNKNOWN = { kind: 'unknown', status: null, lines: ['없는 단계'], branch: null, isStart: false } as const;

function boxOf(graph: Graph, node: Node, internal: readonly Edge[], branch: string | null): Box {
  const lines = [...linesOfNode(node), ...internal.map((edge) => `↻ ${triggerText(graph, node, edge)}`)];
  const more = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES - 1), `… +${lines.length - MAX_LINES + 1}`] : lines;
  return {
    id: node.id,
    kind: node.type,
    status: statusOf(node),
    title: node.label ?? node.id,
    lines: more,
    branch,
    isStart: node.id === graph.start,
  };
}
function statusOf(node: Node): string | null {
  if (node.type === 'end') return node.outcome;
  return node.type === 'state' || node.type === 'external' ? node.status : null;
}

function linesOfNode(node: Node): readonly string[] {
  switch (node.type) {
    case 'state':
      return (node.deadlines ?? []).map((deadline) => `기한 ${deadline.key}: ${whenOf(deadline)}`);
    case 'external':
      return [`${node.method} ${node.secret}${node.path}`, `응답 ${node.timeoutSeconds}초`];
    case 'call':
      return [`하위 흐름 ${node.flow}`, ...deadlineLine(node)];
    case 'parallel':
      return [`병렬 ${node.branches.length}갈래`, ...deadlineLine(node)];
    case 'end':
    case 'join':
      return [];
    default:
      return node satisfies never;
  }
}
const deadlineLine = ({ deadline }: { readonly deadline?: string }): string[] =>
  deadline === undefined ? [] : [`기한 ${lengthOf(deadline)}`];
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['autoDeliverDays', '자동 배송 완료일'],
  ['autoConfirmDays', '자동 구매 확정일'],
]);
type Deadline = NonNullable<Extract<Node, { readonly type: 'state' }>['deadlines']>[number];
function whenOf({
  after,
  at,
  setting,
}: { readonly after?: string; readonly at?: string; readonly setting?: string } & Pick<Deadline, 'key'>): string {
  if (setting !== undefined) return SETTINGS.get(setting) ?? setting;
  return after === undefined ? (at ?? '') : lengthOf(after);
}
const UNITS: Readonly<Record<string, string>> = { D: '일', H: '시간', M: '분', S: '초', W: '주' };
/** `P1DT12H` → `1일 12시간`; anything else as it is. */
export function lengthOf(duration: string): string {
  if (!/^P(?:\d+W|(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(duration)) return duration;
  const parts = [...duration.matchAll(/(\d+)([A-Z])/g)].map(([, n, unit]) => `${n}${UNITS[unit!]}`);
  return parts.length === 0 ? duration : parts.join(' ');
}

const RESULTS: ReadonlyMap<string, string> = new Map([
  ['success', '성공'],
  ['skipped', '건너뜀'],
  ['failed', '실패'],
  ['completed', '완료'],
  ['canceled', '취소'],
  ['joined', '모두 합류'],
  ['timeout', '기한 지남'],
]);
/** What takes an edge, in words. */
const triggerText = (graph: Graph, node: Node | undefined, { on, when }: Edge): string =>
  happening(graph, node, on) + (when === undefined ? '' : ' [조건]');

function happening({ actions }: Graph, node: Node | undefined, on: Trigger): string {
  switch (on.type) {
    case 'seller.action':
    case 'buyer.action':
      return `${on.type === 'seller.action' ? '판매자' : '구매자'}: ${actions.find(({ key }) => key === on.key)?.label ?? on.key}`;
    case 'event':
      return `이벤트: ${on.name}`;
    case 'elapsed':
      return `기한: ${elapsing(node, on.deadline)}`;
    case 'result':
      return RESULTS.get(on.value) ?? on.value;
    default:
      return on satisfies never;
  }
}
/** The length of a deadline, or its key where an expression tells its time. */
function elapsing(node: Node | undefined, key: string): string {
  const deadline = node?.type === 'state' ? node.deadlines?.find((one) => one.key === key) : undefined;
  return deadline && deadline.at === undefined ? whenOf(deadline) : key;
}

/** Edges between the same two nodes are one line. */
function linesOf(graph: Graph, nodes: ReadonlyMap<string, Node>, edges: readonly Edge[]): readonly Line[] {
  const pairs = Map.groupBy(
    edges.filter(({ internal }) => !internal),
    ({ from, to }) => JSON.stringify([from, to]),
  );
  const ways = [...pairs.values()].map((same): Line => {
    const { from, to } = same[0]!;
    const labels = same.map((edge) => ({ edgeId: edge.id, text: triggerText(graph, nodes.get(from), edge) }));
    return { from, to, labels, isBranch: false };
  });
  const begins = [...nodes.values()].flatMap((node) =>
    node.type === 'parallel'
      ? node.branches.map(({ key, start, label }): Line => ({
          from: node.id,
          to: start,
          labels: [{ edgeId: null, text: label ?? key }],
          isBranch: true,
        }))
      : [],
  );
  return [...ways, ...begins];
}

/** The branch that each node runs in: what its start reaches before the join. */
function branchesOf(states: readonly Node[], edges: readonly Edge[]): ReadonlyMap<string, string> {
  const next = Map.groupBy(edges, ({ from }) => from);
  const found = new Map<string, string>();
  for (const node of states.filter((one) => one.type === 'parallel'))
    for (const { key, start, label } of node.branches) {
      const queue = [start];
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        if (id === node.join || id === node.id || found.has(id)) continue;
        found.set(id, label ?? key);
        queue.push(...(next.get(id) ?? []).map(({ to }) => to));
      }
    }
  return found;
}
