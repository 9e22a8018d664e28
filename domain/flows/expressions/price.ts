/** What an expression costs at most (F43): one for each node, and one for each table row, list element or day that it may look at. */
import { nodesOf, pathOf, type Tree } from './tree.ts';

/** How many elements lists have. */
export interface Sizes {
  /** The rows of a table. */
  readonly rows: (table: string) => number;
  /** The values of what a path like `item.inputs.key` reads; 0 where it is no list. */
  readonly values: (path: readonly string[]) => number;
}

/** What an expression costs at most, from its nodes. */
export const priceOf = (nodes: readonly Tree[], sizes: Sizes): number =>
  workOf(nodes, sizes) + nodes.reduce((total, node) => total + rowsOf(node, sizes), 0);

/** The same without the rows that functions look at: they count these themselves, as they go (`Meter`). */
export const workOf = (nodes: readonly Tree[], sizes: Sizes): number =>
  nodes.reduce((total, node) => total + 1 + daysOf(node) + elementsOf(node, sizes), 0);

const OF_DAYS: ReadonlySet<string> = new Set(['daysUntil', 'dayOfWeek', 'isHoliday', 'atTime']);
const daysOf = (node: Tree): number => (node.op === 'call' && OF_DAYS.has(node.args[0]) ? 1 : 0);

function rowsOf(node: Tree, sizes: Sizes): number {
  if (node.op !== 'call') return 0;
  const [name, args] = node.args;
  let table: Tree | undefined;
  if (name === 'inRanges') table = args[1];
  if (name === 'lookupStep') table = args[0];
  return table ? sizeOf(table, sizes) : 0;
}

/** The elements of lists that an operator looks at, or copies. */
function elementsOf(node: Tree, sizes: Sizes): number {
  if (node.op === 'in') return sizeOf(node.args[1], sizes);
  if (node.op === '+') return sizeOf(node, sizes);
  return node.op === '==' || node.op === '!=' ? sizeOf(node.args[0], sizes) + sizeOf(node.args[1], sizes) : 0;
}

/** The elements that a list has at most; 0 for everything that is none. */
function sizeOf(node: Tree, sizes: Sizes): number {
  const path = pathOf(node);
  if (path) return path.length === 1 ? sizes.rows(path[0]!) : sizes.values(path);
  if (node.op === 'list') return node.args.length;
  if (node.op === '+') return sizeOf(node.args[0], sizes) + sizeOf(node.args[1], sizes);
  return node.op === '?:' ? Math.max(sizeOf(node.args[1], sizes), sizeOf(node.args[2], sizes)) : 0;
}

/** What `size` counts the characters of, each path as often as it stands there: comparing texts costs nothing to speak of. */
export const countedTexts = (nodes: readonly Tree[]): readonly (readonly string[])[] =>
  nodes.flatMap((node) => (node.op === 'call' && node.args[0] === 'size' ? pathsIn(node.args[1]) : []));
const pathsIn = (parts: readonly Tree[]): readonly (readonly string[])[] =>
  parts.flatMap((part) => [...nodesOf(part)]).flatMap((node) => (node.op === '.' ? [pathOf(node) ?? []] : []));
