/** Edges: their ends, their triggers and what they run. */
import type { Edge, Node, Trigger } from '../graph/graph.ts';
import { sameTrigger } from '../run/enter.ts';
import type { Report } from './issues.ts';
import type { Values } from './values.ts';
import type { View } from './view.ts';

const EVENT = /^(?:courier\.(?:accepted|inTransit|outForDelivery|delivered)|custom\.[A-Za-z0-9_.-]{1,60})$/;
const NOTIFICATION = /^[A-Za-z][A-Za-z0-9_.-]{0,59}$/;

/** The results that a node gives, each of which needs an edge without condition. */
export function resultsOf(node: Node): readonly string[] {
  const timeout = (node.type === 'parallel' || node.type === 'call') && node.deadline !== undefined ? ['timeout'] : [];
  return [...RESULTS_OF[node.type], ...timeout];
}
const RESULTS_OF: Readonly<Record<Node['type'], readonly string[]>> = {
  external: ['success', 'skipped', 'failed'],
  call: ['completed', 'canceled'],
  join: ['joined'],
  parallel: [],
  state: [],
  end: [],
};

export function checkEdges(view: View, report: Report, values: Values): void {
  for (const edge of view.graph.edges) {
    const from = view.nodes.get(edge.from);
    const to = view.nodes.get(edge.to);
    const where = { edgeId: edge.id };
    if (!from) report.block('EDGE_DANGLING', { ...where, field: 'from' }, `There is no node ${edge.from}.`);
    if (!to) report.block('EDGE_DANGLING', { ...where, field: 'to' }, `There is no node ${edge.to}.`);
    values.expression(edge.when, 'bool', { ...where, field: 'when' });
    if (from) checkTrigger(view, report, edge, from);
    if (from && to) checkEntry(report, edge, from, to);
    checkRun(report, values, edge, from, to);
  }
}

function checkTrigger(view: View, { block }: Report, { id: edgeId, on }: Edge, from: Node): void {
  const where = { edgeId, field: 'on' };
  if (from.type === 'end') return block('EDGE_FROM_END', { edgeId }, 'No edge leaves an end.');
  if (on.type === 'result') {
    const results = resultsOf(from);
    if (!results.includes(on.value))
      block('TRIGGER_NOT_APPLICABLE', where, `A node of the type ${from.type} gives ${results.join(', ') || 'no result'}.`);
    return;
  }
  if (from.type !== 'state') return block('TRIGGER_NOT_APPLICABLE', where, 'Only states wait for actions, events and deadlines.');
  if (on.type === 'event') {
    if (!EVENT.test(on.name))
      block('EVENT_UNKNOWN', where, 'Events are courier.accepted, .inTransit, .outForDelivery, .delivered and custom.*.');
  } else if (on.type === 'elapsed') {
    if (!hasDeadline(from, on.deadline)) block('DEADLINE_MISSING', where, `The state ${from.id} has no deadline ${on.deadline}.`);
  } else checkAction(view, block, edgeId, on);
}

function checkAction(view: View, block: Report['block'], edgeId: string, on: Extract<Trigger, { readonly key: string }>): void {
  const action = view.actions.get(on.key);
  if (!action) return block('ACTION_MISSING', { edgeId, field: 'on' }, `There is no action ${on.key}.`);
  if (`${action.by}.action` !== on.type)
    block('ACTION_ROLE_MISMATCH', { edgeId, actionKey: action.key, field: 'on' }, `${action.key} is an action of the ${action.by}.`);
}

/** Only a seller's action brings files; an internal transition stays where it is. */
function checkEntry({ block }: Report, { id: edgeId, internal, on }: Edge, from: Node, to: Node): void {
  if (internal) {
    if (from.id !== to.id || (from.type !== 'state' && from.type !== 'end'))
      block('EDGE_INTERNAL_TARGET', { edgeId, field: 'to' }, 'An internal edge stays in its own state.');
    return;
  }
  if (to.type === 'state' && (to.attachments?.min ?? 0) > 0 && on.type !== 'seller.action')
    block('ATTACHMENTS_ENTRY', { edgeId, nodeId: to.id }, 'A state that needs files is entered by actions of the seller only.');
}

function checkRun(report: Report, values: Values, edge: Edge, from: Node | undefined, to: Node | undefined): void {
  const { id: edgeId, run = [] } = edge;
  for (const [i, execution] of run.entries()) {
    const at = (field: string) => ({ edgeId, field: `run[${i}].${field}` });
    if (execution.type === 'notify') {
      values.template(execution.message, at('message'));
      if (!NOTIFICATION.test(execution.name))
        report.block('NOTIFY_NAME', at('name'), 'A name is 1 to 60 letters, digits and _.-, a letter first.');
    } else if (execution.type === 'deadline.extend') {
      values.duration(execution.by, at('by'));
      if (from && !hasDeadline(from, execution.deadline))
        report.block('DEADLINE_MISSING', at('deadline'), `${from.id} has no deadline ${execution.deadline}.`);
    } else if (execution.type === 'refund') checkDeduction(report.block, values, execution.deduct, at('deduct'));
  }
  const refunds = run.flatMap(({ type }, i) => (type === 'refund' ? [i] : []));
  for (const i of to?.type === 'end' && to.outcome === 'CANCELED' ? refunds : refunds.slice(1))
    report.block('REFUND_TWICE', { edgeId, field: `run[${i}]` }, 'A canceled end refunds by itself, and nothing is refunded twice.');
}
const hasDeadline = (node: Node, deadline: string): boolean =>
  node.type === 'state' && (node.deadlines ?? []).some(({ key }) => key === deadline);

function checkDeduction(
  block: Report['block'],
  values: Values,
  deduct: number | string | undefined,
  where: { edgeId: string; field: string },
): void {
  if (typeof deduct === 'string') values.expression(deduct, 'int', where, 'refundable');
  else if (deduct !== undefined && !(Number.isSafeInteger(deduct) && deduct >= 0))
    block('FEE_INVALID', where, 'A deduction is a whole number of won.');
}

/** An edge behind one of the same trigger that is always taken. */
export function checkShadows({ nodes, edgesFrom }: View, { block }: Report): void {
  for (const id of nodes.keys()) {
    const sure: Trigger[] = [];
    for (const edge of edgesFrom(id)) {
      if (sure.some((on) => sameTrigger(on, edge.on)))
        block('EDGE_SHADOWED', { edgeId: edge.id }, 'An earlier edge of this trigger has no condition and is always taken.');
      else if (edge.when === undefined && !isMaybe(edge)) sure.push(edge.on);
    }
  }
}
/** One that extends a deadline waits for it to be armed. */
const isMaybe = ({ on, run = [] }: Edge): boolean => on.type !== 'elapsed' && run.some(({ type }) => type === 'deadline.extend');
