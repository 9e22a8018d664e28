/** A flow as an SVG picture: no script, no style sheet, no link, nothing loaded. */
import type { Way } from '../../../db/orders/flows/way.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { type Box, describe, type Described } from './describe.ts';
import { layout, type Placed, type Size } from './layout.ts';
import { boxSize, drawBox, LABEL_TEXT } from './box.ts';
import { drawLabel, drawLine, type LabelText } from './line.ts';
import { cut, escape, FONTS, widthOf } from './text.ts';

/** The picture of a graph, with the way that an item took through it lit. The same graph gives the same picture. */
export function draw(graph: Graph, title: string, way: Way | null = null): string {
  const described = describe(graph);
  const { boxes, lines } = described;
  const isTaken = (edgeId: string | null) => edgeId !== null && way !== null && way.edges.has(edgeId);
  const labels = lines.map(({ labels: texts }) =>
    texts.map(({ text, edgeId }) => ({ text: cut(text, LABEL_TEXT, 190), isLit: isTaken(edgeId) })),
  );
  const sizes = new Map(boxes.map((box) => [box.id, boxSize(box)]));
  const placed = placedBoxes(described, sizes, labels.map(labelSize), graph.start);
  const width = Math.ceil(Math.max(placed.width, 320));
  const height = Math.ceil(placed.height + HEAD);
  const isLit = (i: number) => labels[i]!.some((label) => label.isLit);
  const dim = (lit: boolean) => way !== null && !lit;
  // What is lit lies over what is not, and labels over all lines.
  const order = [...lines.keys()].toSorted((a, b) => Number(isLit(a)) - Number(isLit(b)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONTS}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="24" y="26" font-size="15" font-weight="700" fill="#0f172a">${escape(cut(title, 15, width - 48))}</text>`,
    `<g transform="translate(0 ${HEAD})">`,
    ...order.map((i) => drawLine(lines[i]!, placed.lines[i]!, { isLit: isLit(i), isDim: dim(isLit(i)) })),
    ...boxes.map((box) => drawBox(box, placed.boxes.get(box.id)!, sizes.get(box.id)!, emphasisOf(box, way))),
    ...order.map((i) => drawLabel(labels[i]!, placed.lines[i]!, { isLit: isLit(i), isDim: dim(isLit(i)) })),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
const HEAD = 32;

const emphasisOf = ({ id }: Box, way: Way | null): { readonly isPresent: boolean; readonly isPassed: boolean; readonly isDim: boolean } => {
  const isPresent = way?.present.has(id) ?? false;
  const isPassed = way?.passed.has(id) ?? false;
  return { isPresent, isPassed, isDim: way !== null && !isPresent && !isPassed };
};

const labelSize = (texts: readonly LabelText[]): Size => ({
  width: Math.max(8, ...texts.map(({ text }) => widthOf(text, LABEL_TEXT) + 8)),
  height: texts.length * (LABEL_TEXT + 4) + 2,
});

/** The newest layouts: a picture is mostly asked for again, and its layout is nearly all its cost. */
const CACHED = 64;
const cached = new Map<string, Placed>();
function placedBoxes({ boxes, lines }: Described, sizes: ReadonlyMap<string, Size>, labels: readonly Size[], start: string): Placed {
  const name = JSON.stringify([[...sizes], lines.map(({ from, to }) => [from, to]), labels, start]);
  const known = cached.get(name);
  if (known) return known;
  const placed = layout(sizes, lines, labels, start);
  if (cached.size >= CACHED) cached.delete(cached.keys().next().value!);
  if (boxes.length > 0) cached.set(name, placed);
  return placed;
}
