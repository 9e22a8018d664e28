/** A flow whose draft is published: what its newest version says before and after. */
import { digestOf } from '../../db/kernel/digest.ts';
import { findFlow, graphOf } from '../../db/flows/stored.ts';
import type { Graph } from '../../domain/flows/graph/graph.ts';
import type { Subject } from '../declare/subject.ts';
import { FLOW_HEAD } from './subject.ts';

/** Lines of a preview, and characters of a value: a graph may have hundreds of kilobytes. Its digest names the rest. */
const MAX_CHANGES = 100;
const LONGEST = 200;

const named = <T extends object>(type: string, list: readonly T[], nameOf: (one: T) => string) =>
  Object.fromEntries(list.map((one) => [`${type}:${nameOf(one)}`, one]));

/** By the names of states, actions and edges, so that a new one moves no line of another. */
function shown(graph: Graph): object {
  const { schema: _, states, actions, edges, tables = {}, ...rest } = graph;
  return {
    ...rest,
    ...named('state', states, ({ id }) => id),
    ...named('action', actions, ({ key }) => key),
    ...named('edge', edges, ({ id }) => id),
    ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [`table:${name}`, JSON.stringify(table)])),
  };
}

/** Texts and lists of values that are long are cut, and named by their digest. */
function cut(value: unknown): unknown {
  const isRecords = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);
  if (isRecords) return value.map(cut);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item)]));
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length <= LONGEST ? value : `${text.slice(0, LONGEST).toWellFormed()}… (${digestOf(value).slice(0, 12)})`;
}

export const FLOW_PUBLISH: Subject = {
  ...FLOW_HEAD,
  listing: { ...FLOW_HEAD.listing, given: [...(FLOW_HEAD.listing.given ?? []), 'draftDigest'], max: MAX_CHANGES },
  read: async (tx, flowId, viewed) => {
    const flow = await findFlow(tx, flowId);
    const graph = flow.latestVersion > 0 ? await graphOf(tx, flow, flow.latestVersion) : null;
    return {
      // First, so that no limit leaves it out: with the calls as they are pinned.
      graph: graph && { digest: digestOf(graph), ...(cut(shown(graph)) as object) },
      ...(await FLOW_HEAD.read(tx, flowId, viewed)),
      draftDigest: flow.draftGraph ? digestOf(flow.draftGraph) : null,
    };
  },
};
