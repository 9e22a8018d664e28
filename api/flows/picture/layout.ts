/** Where the boxes and lines of a picture lie: from top to bottom, by dagre. */
import { Graph, layout as arrange } from '@dagrejs/dagre';
import type { Line } from './describe.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Placed {
  readonly width: number;
  readonly height: number;
  /** The middle of each box. */
  readonly boxes: ReadonlyMap<string, Point>;
  /** By the line's number; `label` is the middle of its labels. Without one the library was spared this line: it is drawn straight. */
  readonly lines: readonly { readonly points: readonly Point[]; readonly label: Point | null }[];
}

/**
 * How many levels the lines that the library places may cross in all: its time grows with their square. A flow that a person draws has
 * tens; what is more is drawn straight from box to box.
 */
const MAX_LEVELS = 180;

export function layout(boxes: ReadonlyMap<string, Size>, lines: readonly Line[], labels: readonly Size[], start: string): Placed {
  const chosen = chooseLines([...boxes.keys()], lines, start);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 36,
    ranksep: 34,
    edgesep: 18,
    marginx: 24,
    marginy: 24,
    ranker: boxes.size > 60 ? 'longest-path' : 'network-simplex',
  });
  // Under names of our own: it keeps them in plain objects, in which an id of a draft may be `__proto__`.
  const names = new Map([...boxes.keys()].map((id, i) => [id, `b${i}`]));
  for (const [id, size] of boxes) graph.setNode(names.get(id)!, { ...size });
  for (const i of chosen) {
    const { from, to } = lines[i]!;
    graph.setEdge(names.get(from)!, names.get(to)!, { ...labels[i]!, labelpos: 'c' }, `l${i}`);
  }
  arrange(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const placed = new Map([...names].map(([id, name]) => [id, graph.node(name) as unknown as Point]));
  return {
    width: Number.isFinite(width) ? width : 0,
    height: Number.isFinite(height) ? height : 0,
    boxes: placed,
    lines: lines.map(({ from, to }, i) => {
      if (!chosen.has(i)) return { points: straight(placed.get(from)!, placed.get(to)!, boxes.get(from)!, boxes.get(to)!), label: null };
      const route = graph.edge(names.get(from)!, names.get(to)!, `l${i}`) as unknown as Point & { readonly points: readonly Point[] };
      return { points: route.points, label: { x: route.x, y: route.y } };
    }),
  };
}

/** The lines that the library places: one that reaches each box first, then those that cross the fewest levels. */
function chooseLines(ids: readonly string[], lines: readonly Line[], start: string): ReadonlySet<number> {
  const levels = levelsOf(ids, lines, start);
  const span = ({ from, to }: Line) => Math.max(1, Math.abs(levels.get(to)!.level - levels.get(from)!.level));
  const chosen = new Set([...levels.values()].flatMap(({ by }) => (by === null ? [] : [by])));
  let left = MAX_LEVELS - [...chosen].reduce((sum, i) => sum + span(lines[i]!), 0);
  const rest = [...lines.keys()].filter((i) => !chosen.has(i));
  for (const i of rest.toSorted((a, b) => span(lines[a]!) - span(lines[b]!))) {
    left -= span(lines[i]!);
    if (left >= 0) chosen.add(i);
  }
  return chosen;
}
interface Level {
  readonly level: number;
  /** The line that reaches it first. */
  readonly by: number | null;
}
function levelsOf(ids: readonly string[], lines: readonly Line[], start: string): ReadonlyMap<string, Level> {
  const leaving = Map.groupBy(lines.keys(), (i) => lines[i]!.from);
  const levels = new Map<string, Level>();
  for (const root of [start, ...ids]) {
    if (levels.has(root) || !ids.includes(root)) continue;
    levels.set(root, { level: 0, by: null });
    const queue = [root];
    for (const from of queue)
      for (const i of leaving.get(from) ?? []) {
        const { to } = lines[i]!;
        if (levels.has(to)) continue;
        levels.set(to, { level: levels.get(from)!.level + 1, by: i });
        queue.push(to);
      }
  }
  return levels;
}

/** From the edge of one box to that of the other. */
function straight(from: Point, to: Point, a: Size, b: Size): readonly Point[] {
  const edge = (of: Point, { width, height }: Size, towards: Point): Point => {
    const [dx, dy] = [towards.x - of.x, towards.y - of.y];
    const scale = Math.min(width / 2 / Math.max(1, Math.abs(dx)), height / 2 / Math.max(1, Math.abs(dy)));
    return { x: of.x + dx * scale, y: of.y + dy * scale };
  };
  return [edge(from, a, to), edge(to, b, from)];
}
