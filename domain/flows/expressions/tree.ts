/** The parsed form of an expression. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Range } from './errors.ts';

export type Tree = ASTNode;

/** What a node is made of, in the order of the source. */
export function partsOf(node: Tree): readonly Tree[] {
  if (node.op === 'value' || node.op === 'id') return [];
  if (node.op === '.' || node.op === '.?') return [node.args[0]];
  if (node.op === 'call') return node.args[1];
  if (node.op === 'rcall') return [node.args[1], ...node.args[2]];
  if (node.op === '!_' || node.op === '-_') return [node.args];
  return node.op === 'map' ? node.args.flat() : node.args;
}

/** `item.inputs.color` → ['item', 'inputs', 'color']; null for everything that is no path from a variable. */
export function pathOf(node: Tree): readonly string[] | null {
  if (node.op === 'id') return [node.args];
  if (node.op !== '.') return null;
  const before = pathOf(node.args[0]);
  return before && [...before, node.args[1]];
}

/** Where the last part of a path stands, or the whole of another node. */
export const rangeOf = (node: Tree): Range => ({ start: node.op === '.' ? node.pos : node.start, end: node.end });

/** The argument of `has(…)`; null for every other node. */
export const argumentOfHas = (node: Tree): Tree | null => (node.op === 'call' && node.args[0] === 'has' ? (node.args[1][0] ?? null) : null);

/** Every node, a whole before its parts. */
export function* nodesOf(node: Tree): Generator<Tree> {
  yield node;
  for (const part of partsOf(node)) yield* nodesOf(part);
}
