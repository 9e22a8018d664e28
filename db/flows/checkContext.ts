/** What a graph is checked against: the flows that it calls and the connections of its store. */
import { flowKeyOf } from '../../domain/flows/bundle.ts';
import type { CheckContext } from '../../domain/flows/check/checkGraph.ts';
import type { Bundle, Graph } from '../../domain/flows/graph.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { builtInGraph } from '../../domain/flows/presets/index.ts';
import type { Tx } from '../kernel/tx.ts';

interface Target {
  readonly key: string;
  readonly version: number;
  readonly bundle: Bundle | null;
}

/** As the store is now; a bundle has its own targets, so that those of the graph itself are read, in one statement. */
export async function checkContextOf(tx: Tx, key: string, { states }: Graph): Promise<CheckContext> {
  const called = [...new Set(states.flatMap((node) => (node.type === 'call' ? [flowKeyOf(node.flow)] : [])))];
  const [targets, secrets] = [called.length === 0 ? [] : await targetsOf(tx, called), await secretNames(tx)];
  const byKey = new Map(targets.map((target) => [target.key, target]));
  return {
    key,
    secrets,
    platformFields: PLATFORM_FIELDS,
    published: (flowKey) => {
      const target = byKey.get(flowKey);
      return {
        exists: target !== undefined,
        version: target && target.version > 0 ? target.version : null,
        bundle: target ? bundleOf(target) : null,
      };
    },
  };
}

const targetsOf = ({ sql, storeId }: Tx, keys: readonly string[]): Promise<Target[]> =>
  sql<Target>`SELECT f.key, f.latest_version AS version, v.bundle FROM commerce_flow f
    LEFT JOIN flow_version v ON v.store_id = f.store_id AND v.flow_id = f.flow_id AND v.version = f.latest_version
    WHERE f.store_id = ${storeId} AND f.key = ANY (${keys}::text[])`;

function bundleOf({ key, version, bundle }: Target): Bundle | null {
  const graph = version > 0 && !bundle ? builtInGraph(key) : undefined;
  return graph ? { '': graph } : bundle;
}

async function secretNames({ sql, storeId }: Tx): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }>`SELECT name FROM flow_secret WHERE store_id = ${storeId}`;
  return new Set(rows.map(({ name }) => name));
}
