/** What a graph is checked against: the flows that it calls and the connections of its store. */
import { flowKeyOf } from '../../domain/flows/check/bundle.ts';
import type { CallTarget, DraftFacts } from '../../domain/flows/check/context.ts';
import type { Graph } from '../../domain/flows/graph/graph.ts';
import { digestOf } from '../kernel/digest.ts';
import type { Tx } from '../kernel/tx.ts';

/** As the store is now; a bundle has its own targets, so that those of the graph itself are read, in one statement. */
export async function draftFacts(tx: Tx, key: string, graph: Graph): Promise<DraftFacts> {
  const called = [...new Set(graph.states.flatMap((node) => (node.type === 'call' ? [flowKeyOf(node.flow)] : [])))];
  const targets = called.length === 0 ? [] : await targetsOf(tx, called);
  return { key, graph, secrets: await secretNames(tx), targets };
}

/** Of all that decides whether a graph may be published: the same digest, the same answer. A missing connection only warns. */
export const factsDigest = ({ graph, targets }: DraftFacts): string => digestOf([graph, targets.map(({ key, version }) => [key, version])]);

const targetsOf = ({ sql, storeId }: Tx, keys: readonly string[]): Promise<CallTarget[]> =>
  sql<CallTarget>`SELECT f.key, f.latest_version AS version, v.bundle::text AS bundle FROM commerce_flow f
    LEFT JOIN flow_version v ON v.store_id = f.store_id AND v.flow_id = f.flow_id AND v.version = f.latest_version
    WHERE f.store_id = ${storeId} AND f.key = ANY (${keys}::text[]) ORDER BY f.key`;

async function secretNames({ sql, storeId }: Tx): Promise<readonly string[]> {
  const rows = await sql<{ name: string }>`SELECT name FROM flow_secret WHERE store_id = ${storeId}`;
  return rows.map(({ name }) => name);
}
