/** Whether a graph may be published: all its problems at once. */
import { tableProblems } from '../expressions/tables.ts';
import type { Graph } from '../graph/graph.ts';
import { checkCalls, isSmallEnough } from './calls.ts';
import { checkEdges, checkShadows } from './edges.ts';
import { checkIdentity, checkRequires, checkStart } from './identity.ts';
import { checkActions } from './inputs.ts';
import { type Checked, createReport, type Issue, type Report } from './issues.ts';
import { checkLimits } from './limits.ts';
import { checkParallels } from './parallel.ts';
import { checkPrices } from './prices.ts';
import { checkCircles, checkProgress } from './progress.ts';
import { checkResults } from './results.ts';
import { checkStates } from './states.ts';
import { checkFalls } from './statuses.ts';
import { createValues, type Values } from './values.ts';
import { type CheckContext, createView, type View } from './view.ts';

export type { CheckContext, Checked, Issue };

/** In the order in which their problems are told. */
const RULES: readonly ((view: View, report: Report, values: Values) => void)[] = [
  checkIdentity,
  checkRequires,
  checkTables,
  checkStart,
  checkStates,
  checkEdges,
  checkShadows,
  checkResults,
  checkActions,
  checkProgress,
  checkCircles,
  checkLimits,
  checkParallels,
  checkCalls,
  checkFalls,
  checkPrices,
];

/**
 * Takes any graph of the form (`GraphForm`) and throws nothing. A graph that is published without its blocking problems never makes `step`
 * throw, and never leaves a position where it waits for nothing. One that is too large is told so and not looked at further.
 */
export function checkGraph(graph: Graph, context: CheckContext): Checked {
  const report = createReport();
  if (isSmallEnough(graph, new TextEncoder().encode(JSON.stringify(graph)).length, report)) {
    const view = createView(graph, context);
    const values = createValues(view, report);
    for (const rule of RULES) rule(view, report, values);
  }
  return report.checked();
}

function checkTables({ graph }: View, report: Report): void {
  for (const { code, table, message } of tableProblems(graph.tables ?? {})) {
    const where = { field: `tables.${table}` };
    if (code === 'TABLE_INVALID') report.block(code, where, `${message}.`);
    else report.warn(code, where, `${message}.`);
  }
}
