/**
 * A published flow as the interpreter uses it: its graphs with their nodes, edges and actions by id, and their expressions, parsed once.
 */
import { compileExpressions } from '../expressions/compile.ts';
import type { Expressions, FieldType } from '../expressions/types.ts';
import { MAX_FILES } from './inputs.ts';
import type { Action, Bundle, Edge, GroupClaim, Graph, Node, Progression } from '../graph/graph.ts';

export interface CompiledGraph {
  readonly graph: Graph;
  readonly nodes: ReadonlyMap<string, Node>;
  /** The edges that leave a node, in the graph's order. */
  readonly edgesFrom: ReadonlyMap<string, readonly Edge[]>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly expressions: Expressions;
}
export interface Flow {
  readonly main: CompiledGraph;
  readonly graphs: Bundle;
  /** A graph of the bundle by its key; absent: the main one. */
  readonly compiled: (key: string | undefined) => CompiledGraph;
  readonly progression: Progression;
  readonly groupClaim: GroupClaim;
  /** It asks whether a day is a holiday. */
  readonly usesHolidays: boolean;
}

/** Compiles each graph of a bundle when it is first used. A flow belongs to an immutable bundle, and may be kept. */
export function compileFlow(bundle: Bundle): Flow {
  const graphs = new Map<string, CompiledGraph>();
  const compiled = (key = ''): CompiledGraph => {
    const known = graphs.get(key);
    if (known) return known;
    const graph = bundle[key];
    if (!graph) throw new Error(`The flow has no graph ${key}`);
    const made = compileGraph(graph);
    graphs.set(key, made);
    return made;
  };
  const main = compiled();
  const { progression = 'ITEM', groupClaim = 'PAUSE' } = main.graph.requires ?? {};
  const usesHolidays = JSON.stringify(bundle).includes('isHoliday');
  return { main, graphs: bundle, compiled, progression, groupClaim, usesHolidays };
}

function compileGraph(graph: Graph): CompiledGraph {
  return {
    graph,
    nodes: new Map(graph.states.map((node) => [node.id, node])),
    edgesFrom: Map.groupBy(graph.edges, ({ from }) => from),
    actions: new Map(graph.actions.map((action) => [action.key, action])),
    expressions: compileExpressions(graph.tables ?? {}, inputTypes(graph), inputSizes(graph)),
  };
}

/** The types of all input fields of a graph, by key. */
export const inputTypes = (graph: Graph): Readonly<Record<string, FieldType>> =>
  Object.fromEntries(graph.actions.flatMap(({ input = [] }) => input.map(({ key, type }) => [key, type] as const)));

/** How many values the lists among them have at most. */
export const inputSizes = ({ actions }: Graph): Readonly<Record<string, number>> => {
  const sizes = new Map<string, number>();
  for (const { key, type, options = [], maxFiles = MAX_FILES } of actions.flatMap(({ input = [] }) => input)) {
    const files = type === 'image' ? maxFiles : 0;
    const size = type === 'checkbox' ? options.length : files;
    sizes.set(key, Math.max(size, sizes.get(key) ?? 0));
  }
  return Object.fromEntries(sizes);
};

/** A node by its id. Throws for an unknown id, which a valid graph never names. */
export function nodeIn({ nodes }: CompiledGraph, nodeId: string): Node {
  const node = nodes.get(nodeId);
  if (!node) throw new Error(`The flow has no node ${nodeId}`);
  return node;
}
/** What a node is called; nodes without a label by their id. */
export const labelOf = (node: Node): string => node.label ?? node.id;
