/** What is published: a graph whose calls are pinned to versions, with the graphs that it calls (F9). */
import type { Bundle, Graph } from '../graph/graph.ts';
import type { CheckContext } from './view.ts';

/** `key@version` → `key`; a key alone stays. */
export const flowKeyOf = (pinned: string): string => pinned.split('@')[0]!;

/**
 * Pins every call to the newest published version of its flow, a pin of an earlier version too. Throws where a called flow is not
 * published: `checkGraph` has refused that.
 */
export function bundleOf(graph: Graph, { published }: Pick<CheckContext, 'published'>): { readonly graph: Graph; readonly bundle: Bundle } {
  const called: Record<string, Graph> = {};
  const pin = (flow: string): string => {
    const key = flowKeyOf(flow);
    const { version, bundle } = published(key);
    if (version === null || !bundle) throw new Error(`The flow ${key} is not published`);
    const { '': main, ...below } = bundle;
    const pinned = `${key}@${version}`;
    Object.assign(called, below, { [pinned]: main });
    return pinned;
  };
  const states = graph.states.map((node) => (node.type === 'call' ? { ...node, flow: pin(node.flow) } : node));
  const pinned: Graph = { ...graph, states };
  return { graph: pinned, bundle: { '': pinned, ...called } };
}
