/** Edges as smooth lines with arrow heads, and their labels. */
import { LABEL_TEXT, n } from './box.ts';
import type { Line } from './describe.ts';
import type { Placed, Point } from './layout.ts';
import { escape, widthOf } from './text.ts';

export interface LineStyle {
  readonly isLit: boolean;
  readonly isDim: boolean;
}
export interface LabelText {
  readonly text: string;
  readonly isLit: boolean;
}
type Route = Placed['lines'][number];
const LIT = '#ea580c';
const CALM = '#64748b';
const dimmed = ({ isDim }: LineStyle): string => (isDim ? ' opacity="0.35"' : '');

export function drawLine(line: Line, { points }: Route, style: LineStyle): string {
  const colour = style.isLit ? LIT : CALM;
  const dashes = line.isBranch ? ' stroke-dasharray="2 4" stroke-linecap="round"' : '';
  const calmWidth = line.isBranch ? 2.2 : 1.4;
  const width = style.isLit ? 3 : calmWidth;
  const ids = line.labels.flatMap(({ edgeId }) => edgeId ?? []).join(' ');
  return [
    `<g${dimmed(style)}>`,
    ...(ids === '' ? [] : [`<title>${escape(ids.slice(0, 400))}</title>`]),
    `<path d="${smooth(points)}" fill="none" stroke="${colour}" stroke-width="${width}"${dashes}/>`,
    `<path d="${arrow(points.at(-2)!, points.at(-1)!)}" fill="${colour}"/>`,
    '</g>',
  ].join('');
}

/** Through the middles between the points, so that corners are round. */
function smooth(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop()!;
  const curves = rest.map((point, i) => {
    const next = rest[i + 1];
    const end = next ? { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 } : last;
    return `Q${n(point.x)} ${n(point.y)} ${n(end.x)} ${n(end.y)}`;
  });
  const path = curves.length > 0 ? curves.join('') : `L${n(last.x)} ${n(last.y)}`;
  return `M${n(first!.x)} ${n(first!.y)}${path}`;
}

function arrow(before: Point, tip: Point): string {
  const [dx, dy] = [tip.x - before.x, tip.y - before.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [bx, by] = [tip.x - 9 * ux, tip.y - 9 * uy];
  return `M${n(tip.x)} ${n(tip.y)}L${n(bx - 4 * uy)} ${n(by + 4 * ux)}L${n(bx + 4 * uy)} ${n(by - 4 * ux)}Z`;
}

/** One label for each edge, on a white ground, those that were passed lit; a line that the layout was spared has none. */
export function drawLabel(texts: readonly LabelText[], { label }: Route, style: LineStyle): string {
  if (label === null) return '';
  const row = LABEL_TEXT + 4;
  const width = Math.max(...texts.map(({ text }) => widthOf(text, LABEL_TEXT))) + 6;
  const top = label.y - (texts.length * row) / 2;
  const rows = texts.map(({ text, isLit }, i) => {
    const paint = isLit ? 'fill="#9a3412" font-weight="700"' : 'fill="#334155"';
    return `<text x="${n(label.x)}" y="${n(top + (i + 1) * row - 4)}" font-size="${LABEL_TEXT}" text-anchor="middle" ${paint}>${escape(text)}</text>`;
  });
  const ground = `<rect x="${n(label.x - width / 2)}" y="${n(top)}" width="${n(width)}" height="${n(texts.length * row)}" fill="#ffffff" fill-opacity="0.9"/>`;
  return `<g${dimmed(style)}>${ground}${rows.join('')}</g>`;
}
