/** What a graph is checked against, as plain data: it is read in one place and judged in another (F45). */
import type { PlatformFields } from '../graph/forms.ts';
import type { Bundle, Graph } from '../graph/graph.ts';
import { builtInGraph } from '../presets/index.ts';
import type { CheckContext } from './view.ts';

/** A flow that the graph calls. `bundle`: its newest published one, as JSON; null where the code has it, and where none is published. */
export interface CallTarget {
  readonly key: string;
  /** 0: not published. */
  readonly version: number;
  readonly bundle: string | null;
}
/** A graph with what its store has at the time. */
export interface DraftFacts {
  readonly key: string;
  readonly graph: Graph;
  readonly secrets: readonly string[];
  readonly targets: readonly CallTarget[];
}

export function contextOf({ key, secrets, targets }: Omit<DraftFacts, 'graph'>, platformFields: PlatformFields): CheckContext {
  const byKey = new Map(
    targets.map((target) => {
      const version = target.version > 0 ? target.version : null;
      return [target.key, { exists: true, version, bundle: bundleOf(target) }] as const;
    }),
  );
  const published: CheckContext['published'] = (flowKey) => byKey.get(flowKey) ?? { exists: false, version: null, bundle: null };
  return { key, secrets: new Set(secrets), platformFields, published };
}

function bundleOf({ key, version, bundle }: CallTarget): Bundle | null {
  if (bundle !== null) return JSON.parse(bundle) as Bundle;
  const graph = version > 0 ? builtInGraph(key) : undefined;
  return graph ? { '': graph } : null;
}
