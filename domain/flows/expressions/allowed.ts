/** What may be written: a list of what is allowed, so that nothing the library learns ever reaches sellers by itself. */
import { FUNCTION_NAMES, ROOTS } from './language.ts';
import { literalProblem } from './literals.ts';
import { argumentOfHas, partsOf, pathOf, rangeOf, type Tree } from './tree.ts';
import type { ExpressionProblem } from './errors.ts';

export const MAX_LENGTH = 1000;
export const MAX_NODES = 300;
export const MAX_DEPTH = 32;

/** What is needed to judge a name. */
export interface Names {
  readonly tables: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
  /** Names that the library declares for itself. */
  readonly isForeign: (name: string) => boolean;
}

const OPERATORS: ReadonlySet<string> = new Set('value id . call list map ?: || && !_ -_ == != in + - * / % < <= > >='.split(' '));
/** What a path may not end at: it has fields and no value. */
const GROUPS: ReadonlySet<string> = new Set(['item', 'item.inputs', 'item.option', 'item.stay', 'claim', 'order', 'state']);
/** Keys of options are those of a variant's attributes. */
const OPTION_KEY = /^[A-Za-z]\w{0,39}$/;

const refuse = (node: Tree, message: string): ExpressionProblem => ({ code: 'EXPRESSION_NOT_ALLOWED', message, range: rangeOf(node) });
const unknown = (node: Tree, message: string): ExpressionProblem => ({ code: 'EXPRESSION_TYPE', message, range: rangeOf(node) });

/** The first thing in an expression that is not allowed; null: the library may check its types. */
export function notAllowed(node: Tree, names: Names, depth = 1): ExpressionProblem | null {
  if (depth > MAX_DEPTH) return refuse(node, `nested more than ${MAX_DEPTH} deep`);
  const path = pathOf(node);
  if (path) return pathProblem(node, path, names);
  const field = argumentOfHas(node);
  if (field) return hasProblem(node, field, names);
  return nodeProblem(node) ?? literalProblem(node) ?? partsNotAllowed(node, names, depth);
}

function partsNotAllowed(node: Tree, names: Names, depth: number): ExpressionProblem | null {
  const rowsAt = node.op === 'call' ? ROWS_AT[node.args[0]] : undefined;
  const isSign = node.op === '!_' || node.op === '-_';
  for (const [i, part] of partsOf(node).entries()) {
    // A chain like a + b + c nests to the left only in its tree.
    const deeper = i === 0 && !isSign ? depth : depth + 1;
    const found = i === rowsAt && part.op === 'list' ? rowsNotAllowed(part, names, deeper) : notAllowed(part, names, deeper);
    if (found) return found;
  }
  return null;
}

/** The argument that takes rows. */
const ROWS_AT: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), { inRanges: 1, lookupStep: 0 });

function rowsNotAllowed(list: Tree, names: Names, depth: number): ExpressionProblem | null {
  for (const row of partsOf(list)) {
    for (const cell of row.op === 'map' ? partsOf(row) : [row]) {
      const found = notAllowed(cell, names, depth);
      if (found) return found;
    }
  }
  return null;
}

function nodeProblem(node: Tree): ExpressionProblem | null {
  if (node.op === 'rcall') return refuse(node, `there are no methods: .${node.args[0]}()`);
  if (node.op === '.') return refuse(node, 'a field is read from a variable only: item.inputs.key');
  if (node.op === 'map') return refuse(node, '{ … } stands in a list of inRanges and lookupStep only');
  if (!OPERATORS.has(node.op)) return refuse(node, `there is no ${node.op}`);
  if (node.op === 'call' && !FUNCTION_NAMES.has(node.args[0])) return refuse(node, `there is no function ${node.args[0]}`);
  if (node.op === 'value' && typeof node.args === 'object' && node.args !== null)
    return refuse(node, 'there are no bytes and no unsigned numbers');
  return null;
}

function pathProblem(node: Tree, path: readonly string[], { tables, inputs, isForeign }: Names): ExpressionProblem | null {
  const name = path.join('.');
  if (!ROOTS.has(path[0]!)) {
    if (!tables.has(path[0]!)) return isForeign(path[0]!) ? refuse(node, `${path[0]} is not allowed`) : null;
    return path.length > 1 ? refuse(node, 'rows of a table are read by lookupStep and inRanges') : null;
  }
  if (GROUPS.has(name)) return refuse(node, `${name} has fields: read one of them`);
  if (path.length > 3) return refuse(node, `${path.slice(0, 3).join('.')} has no fields`);
  if (path[0] !== 'item' || path.length < 3) return null;
  if (path[1] === 'inputs' && !inputs.has(path[2]!)) return unknown(node, `there is no input ${path[2]}`);
  if (path[1] === 'option' && !OPTION_KEY.test(path[2]!)) return unknown(node, `${path[2]} can be no option`);
  return null;
}

function hasProblem(has: Tree, field: Tree, names: Names): ExpressionProblem | null {
  const path = pathOf(field);
  const isField = path?.[0] === 'item' && (path.length === 2 ? path[1] === 'stay' : path[1] === 'inputs' || path[1] === 'option');
  if (!isField || partsOf(has).length !== 1) return refuse(has, 'has asks for item.inputs.key, item.option.key or item.stay');
  return path.length === 2 ? null : pathProblem(field, path, names);
}
