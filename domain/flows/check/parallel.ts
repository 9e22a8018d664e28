/** Parallel regions: every branch leads to the join and nowhere else, and nothing else leads into them. */
import type { ParallelNode } from '../graph/graph.ts';
import { repeated } from './identity.ts';
import type { Report } from './issues.ts';
import { reach } from '../graph/reach.ts';
import { MAX_BRANCHES } from '../form/schemas.ts';
import type { View } from './view.ts';

export function checkParallels(view: View, report: Report): void {
  const owners = new Map<string, string>();
  let isWhole = true;
  for (const node of view.nodes.values()) {
    if (node.type !== 'parallel') continue;
    checkBranches(view, node, report);
    if (view.nodes.get(node.join)?.type !== 'join') {
      isWhole = false;
      report.block('JOIN_MISSING', { nodeId: node.id, field: 'join' }, `There is no join ${node.join}.`);
      continue;
    }
    const owner = owners.get(node.join);
    if (owner !== undefined) report.block('JOIN_SHARED_NODE', { nodeId: node.join }, `It joins the branches of ${owner} already.`);
    else owners.set(node.join, node.id);
    checkRegion(view, node, report);
  }
  checkStarts(view, report);
  if (isWhole) checkJoins(view, owners, report);
}

function checkBranches({ nodes }: View, { id: nodeId, branches }: ParallelNode, { block }: Report): void {
  if (branches.length < 2 || branches.length > MAX_BRANCHES)
    block('BRANCH_COUNT', { nodeId, field: 'branches' }, 'There are 2 to 10 branches.');
  for (const { key } of repeated(branches, (branch) => branch.key))
    block('BRANCH_COUNT', { nodeId, field: `branches.${key}` }, 'Each branch has a key of its own.');
  for (const { key, start } of branches) {
    const first = nodes.get(start);
    const field = `branches.${key}.start`;
    if (!first) block('EDGE_DANGLING', { nodeId, field }, `There is no node ${start}.`);
    else if (first.type === 'state' && (first.attachments?.min ?? 0) > 0)
      block('ATTACHMENTS_ENTRY', { nodeId: start }, 'A state that needs files is entered by actions of the seller only.');
  }
}

function checkRegion(view: View, node: ParallelNode, { block }: Report): void {
  const { nodes, before, graph } = view;
  const joining = reach([node.join], before);
  const branchOf = new Map<string, string>();
  for (const { key, start } of node.branches.slice(0, MAX_BRANCHES)) {
    if (start === node.join || !nodes.has(start)) continue;
    const region = view.branchNodes(node, start);
    if (!joining.has(start))
      block('JOIN_UNREACHED', { nodeId: node.id, field: `branches.${key}` }, `The branch never reaches ${node.join}.`);
    for (const id of region) {
      const inner = nodes.get(id)!;
      const other = branchOf.get(id);
      if (inner.type === 'end' || id === node.id || id === graph.start) {
        block('JOIN_BYPASSED', { nodeId: id }, `The branch ${key} of ${node.id} leads here without its join.`);
        continue;
      }
      if (other !== undefined && other !== key)
        block('JOIN_SHARED_NODE', { nodeId: id }, `It belongs to the branches ${other} and ${key}.`);
      else if (!joining.has(id) && joining.has(start)) block('JOIN_UNREACHED', { nodeId: id }, `${node.join} is not reached from here.`);
      branchOf.set(id, key);
    }
  }
  checkBorders(view, node, branchOf, block);
}

/** Only the parallel node leads into its branches, and only they into its join. */
function checkBorders({ graph }: View, node: ParallelNode, branchOf: ReadonlyMap<string, string>, block: Report['block']): void {
  const isInside = (id: string) => branchOf.has(id);
  for (const { id: edgeId, from, to } of graph.edges) {
    if (isInside(from) || !(isInside(to) || to === node.join)) continue;
    block('JOIN_ENTERED_FROM_OUTSIDE', { edgeId, nodeId: to }, `Only the branches of ${node.id} lead there.`);
  }
}

/** A branch does not begin in the join of another one. */
function checkStarts({ graph, nodes }: View, { block }: Report): void {
  for (const node of graph.states)
    if (node.type === 'parallel')
      for (const { key, start } of node.branches)
        if (nodes.get(start)?.type === 'join' && start !== node.join)
          block('JOIN_ENTERED_FROM_OUTSIDE', { nodeId: node.id, field: `branches.${key}.start` }, 'A branch begins in the join of others.');
}

/** Each join belongs to a parallel node. */
function checkJoins({ graph, nodes }: View, owners: ReadonlyMap<string, string>, { block }: Report): void {
  for (const { id: edgeId, to } of graph.edges)
    if (nodes.get(to)?.type === 'join' && !owners.has(to))
      block('JOIN_ENTERED_FROM_OUTSIDE', { edgeId, nodeId: to }, 'No parallel node ends in this join.');
}
