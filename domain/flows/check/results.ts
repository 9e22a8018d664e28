/** Nodes that are left by their results: each of them is connected, and their limits hold. */
import type { ExternalNode } from '../graph/graph.ts';
import { resultsOf } from './edges.ts';
import type { Report } from './issues.ts';
import type { Values } from './values.ts';
import type { View } from './view.ts';

export function checkResults({ graph, edgesFrom, context }: View, report: Report, values: Values): void {
  for (const node of graph.states) {
    const nodeId = node.id;
    const sure = edgesFrom(nodeId).flatMap(({ on, when, internal }) =>
      on.type === 'result' && when === undefined && !internal ? [on.value] : [],
    );
    for (const result of resultsOf(node))
      if (!sure.some((value) => value === result))
        report.block('RESULT_UNCONNECTED', { nodeId, field: result }, `The result ${result} needs an edge without condition.`);
    if (node.type === 'parallel' || node.type === 'call') values.duration(node.deadline, { nodeId, field: 'deadline' });
    if (node.type === 'external') checkExternal(node, context.secrets, report, values);
  }
}

function checkExternal(
  { id: nodeId, secret, timeoutSeconds, path, body = {} }: ExternalNode,
  secrets: ReadonlySet<string>,
  report: Report,
  values: Values,
): void {
  if (!(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 60))
    report.block('EXTERNAL_TIMEOUT', { nodeId, field: 'timeoutSeconds' }, 'An answer is awaited for 1 to 60 whole seconds.');
  if (!secrets.has(secret))
    report.warn('SECRET_MISSING', { nodeId, field: 'secret' }, `There is no stored connection ${secret}: the step will be skipped.`);
  values.template(path, { nodeId, field: 'path' });
  for (const [key, text] of Object.entries(body)) values.template(text, { nodeId, field: `body.${key}` });
}
