/** Which inputs an expression may read although they are absent. */
import { argumentOfHas, partsOf, pathOf, type Tree } from './tree.ts';

type Keys = ReadonlySet<string>;
const NONE: Keys = new Set();

/** The key of `item.inputs.key`. */
function inputOf(node: Tree): string | null {
  const path = pathOf(node);
  return path?.length === 3 && path[0] === 'item' && path[1] === 'inputs' ? path[2]! : null;
}

/** The inputs that are there whenever the node is `outcome`: those that a `has` in it has found. */
function presentWhen(node: Tree, outcome: boolean): Keys {
  const field = argumentOfHas(node);
  if (field) return outcome ? unguarded(field) : NONE;
  if (node.op === '!_') return presentWhen(node.args, !outcome);
  if (node.op !== '&&' && node.op !== '||') return NONE;
  const [left, right] = node.args.map((part) => presentWhen(part, outcome)) as [Keys, Keys];
  return (node.op === '&&') === outcome ? left.union(right) : left.intersection(right);
}

/**
 * The inputs read outside what guards them. Both sides of `&&` and `||` guard each other: a side that fails counts for nothing when the
 * other one decides.
 */
export function unguarded(node: Tree, present: Keys = NONE): Keys {
  const key = inputOf(node);
  if (key !== null) return present.has(key) ? NONE : new Set([key]);
  if (argumentOfHas(node)) return NONE;
  if (node.op === '&&' || node.op === '||') {
    const [left, right] = node.args;
    const guardedBy = (other: Tree) => present.union(presentWhen(other, node.op === '&&'));
    return unguarded(left, guardedBy(right)).union(unguarded(right, guardedBy(left)));
  }
  if (node.op === '?:') {
    const [condition, then, otherwise] = node.args;
    return unguarded(condition, present)
      .union(unguarded(then, present.union(presentWhen(condition, true))))
      .union(unguarded(otherwise, present.union(presentWhen(condition, false))));
  }
  return partsOf(node).reduce<Keys>((all, part) => all.union(unguarded(part, present)), NONE);
}
