/** Nodes as boxes: coloured by public status, shaped by type. */
import type { Box } from './describe.ts';
import type { Point, Size } from './layout.ts';
import { cut, escape, widthOf } from './text.ts';

const BOX_TEXT = 13;
const SMALL = 10.5;
export const LABEL_TEXT = 11;
const MAX_WIDTH = 260;
const MIN_WIDTH = 104;
const PAD = 12;

/** Fill, border and text of each public status, of the ends, and of nodes that have none. */
const COLOURS: ReadonlyMap<string, readonly [string, string, string]> = new Map([
  ['PAID', ['#dbeafe', '#2563eb', '#1e3a8a']],
  ['CONFIRMED', ['#ccfbf1', '#0d9488', '#134e4a']],
  ['DISPATCHED', ['#fef3c7', '#d97706', '#78350f']],
  ['DELIVERED', ['#dcfce7', '#16a34a', '#14532d']],
  ['COMPLETED', ['#14532d', '#14532d', '#ffffff']],
  ['CANCELED', ['#7f1d1d', '#7f1d1d', '#ffffff']],
]);
const PLAIN = ['#f1f5f9', '#475569', '#0f172a'] as const;
const BROKEN = ['#fee2e2', '#dc2626', '#7f1d1d'] as const;

const linesOf = ({ status, branch, lines }: Box): readonly string[] => [
  ...(status === null ? [] : [status]),
  ...lines,
  ...(branch === null ? [] : [`갈래: ${branch}`]),
];

export function boxSize(box: Box): Size {
  const widest = Math.max(widthOf(box.title, BOX_TEXT) * 1.06, ...linesOf(box).map((line) => widthOf(line, SMALL)));
  const width = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, widest + 6 + 2 * PAD)));
  return { width, height: 2 * 8 + BOX_TEXT + 4 + linesOf(box).length * (SMALL + 4.5) };
}

export interface BoxStyle {
  readonly isPresent: boolean;
  readonly isPassed: boolean;
  readonly isDim: boolean;
}
export function drawBox(box: Box, at: Point, { width, height }: Size, { isPresent, isPassed, isDim }: BoxStyle): string {
  const [fill, border, text] = box.kind === 'unknown' ? BROKEN : (COLOURS.get(box.status ?? '') ?? PLAIN);
  const [x, y] = [at.x - width / 2, at.y - height / 2];
  const frame = (outset: number, more: string) =>
    `<rect x="${n(x - outset)}" y="${n(y - outset)}" width="${n(width + 2 * outset)}" height="${n(height + 2 * outset)}" rx="${radiusOf(box, height) + outset}" ${more}/>`;
  const dashes = box.kind === 'external' || box.kind === 'unknown' ? ' stroke-dasharray="6 4"' : '';
  const weight = isPassed || isPresent ? 2.6 : 1.4;
  const inner = width - 2 * PAD;
  const rows = linesOf(box).map(
    (line, i) =>
      `<text x="${n(at.x)}" y="${n(y + 8 + BOX_TEXT + 4 + (i + 1) * (SMALL + 4.5) - 5)}" font-size="${SMALL}" text-anchor="middle" fill="${text}" fill-opacity="0.85">${escape(cut(line, SMALL, inner))}</text>`,
  );
  return [
    `<g${isDim ? ' opacity="0.4"' : ''}>`,
    `<title>${escape(box.id)}</title>`,
    ...(isPresent ? [frame(5, 'fill="none" stroke="#ea580c" stroke-width="3"')] : []),
    ...(box.kind === 'call' ? [frame(3.5, `fill="none" stroke="${border}" stroke-width="1"`)] : []),
    frame(0, `fill="${fill}" stroke="${border}" stroke-width="${weight}"${dashes}`),
    ...(box.isStart ? [`<circle cx="${n(x)}" cy="${n(y)}" r="6" fill="#0f172a" stroke="#ffffff" stroke-width="1.5"/>`] : []),
    `<text x="${n(at.x)}" y="${n(y + 8 + BOX_TEXT)}" font-size="${BOX_TEXT}" font-weight="700" text-anchor="middle" fill="${text}">${escape(cut(box.title, BOX_TEXT, inner))}</text>`,
    ...rows,
    '</g>',
  ].join('');
}
function radiusOf({ kind }: Box, height: number): number {
  if (kind === 'end') return Math.round(height / 2);
  return kind === 'parallel' || kind === 'join' ? 2 : 9;
}
/** Coordinates with one decimal. */
export const n = (value: number): number => Math.round(value * 10) / 10;
