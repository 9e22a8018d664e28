/** What is wrong with values written in an expression, before it ever runs. */
import { isMonthDay, isTimeOfDay } from './functions.ts';
import { isDuration, readTime } from './time.ts';
import { partsOf, rangeOf, type Tree } from './tree.ts';
import type { ExpressionProblem } from './errors.ts';

const MAX_INT = 2n ** 63n - 1n;

const problem = (node: Tree, message: string): ExpressionProblem => ({ code: 'EXPRESSION_LITERAL', message, range: rangeOf(node) });

const textOf = (node: Tree | undefined): string | null => (node?.op === 'value' && typeof node.args === 'string' ? node.args : null);

/** A number as it is written, with its sign. */
function numberOf(node: Tree | undefined): number | null {
  if (node?.op === '-_') {
    const number = numberOf(node.args);
    return number === null ? null : -number;
  }
  return node?.op === 'value' && (typeof node.args === 'bigint' || typeof node.args === 'number') ? Number(node.args) : null;
}

/** The first wrong value of a node itself, its parts left aside. */
export function literalProblem(node: Tree): ExpressionProblem | null {
  if (node.op === 'value') return typeof node.args === 'bigint' && node.args > MAX_INT ? problem(node, 'the number is too large') : null;
  if (node.op === '/' || node.op === '%') return numberOf(node.args[1]) === 0 ? problem(node, 'division by zero') : null;
  return node.op === 'call' ? argumentProblem(node.args[0], node.args[1], node) : null;
}

function argumentProblem(name: string, [first, second]: readonly Tree[], call: Tree): ExpressionProblem | null {
  switch (name) {
    case 'pct': {
      const percent = numberOf(second);
      return percent !== null && (percent < 0 || percent > 100) ? problem(second!, 'percent are 0 to 100') : null;
    }
    case 'atTime':
      return wrongText(second, isTimeOfDay, 'is no time of day, HH:mm');
    case 'time':
      return wrongText(first, (text) => readTime(text) !== null, 'is no ISO 8601 time with an offset and no date');
    case 'duration':
      // Not computed: the library's reading of a hostile text is slow.
      if (first && textOf(first) === null) return problem(call, 'duration takes a written text, like "24h"');
      return wrongText(first, isDuration, 'is no duration of hours, minutes and seconds, like "24h" or "1h30m"');
    case 'inRanges':
      return rowsProblem(second, ['from', 'to'], (cell) => wrongText(cell, isMonthDay, 'is no day of the year, MM-DD'));
    case 'lookupStep':
      return rowsProblem(first, ['days', 'value'], () => null);
    default:
      return null;
  }
}

function wrongText(node: Tree | undefined, isRight: (text: string) => boolean, what: string): ExpressionProblem | null {
  const text = textOf(node);
  return text !== null && !isRight(text) ? problem(node!, `"${text}" ${what}`) : null;
}

/** A list of rows written in the expression: each has the columns, no other and none twice. */
function rowsProblem(
  list: Tree | undefined,
  columns: readonly string[],
  cellProblem: (cell: Tree) => ExpressionProblem | null,
): ExpressionProblem | null {
  if (list?.op !== 'list') return null;
  if (list.args.length === 0) return problem(list, 'the list is empty');
  for (const row of list.args.filter(({ op }) => op === 'map')) {
    const cells = partsOf(row);
    const names = cells.filter((_, i) => i % 2 === 0).map(textOf);
    if (names.length !== columns.length || columns.some((column) => !names.includes(column)))
      return problem(row, `a row is { ${columns.map((column) => `"${column}": …`).join(', ')} }`);
    for (const cell of cells.filter((_, i) => i % 2 === 1)) {
      const wrong = cellProblem(cell);
      if (wrong) return wrong;
    }
  }
  return null;
}
