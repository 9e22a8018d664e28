import type { Graph } from '../graph.ts';
import { manualStandard } from './manualStandard.ts';
import { shippingStandard } from './shippingStandard.ts';

/** A published graph by key and version. Default flows are versioned with the code and never change. */
const published: Readonly<Record<string, Graph>> = { 'shipping-standard@1': shippingStandard, 'manual-standard@1': manualStandard };

/** The default flow of a fulfillment type (docs/contract.md#flow). */
export const defaultFlow = (type: 'SHIPPING' | 'MANUAL') =>
  type === 'SHIPPING'
    ? ({ key: 'shipping-standard', version: 1, name: '일반 배송' } as const)
    : ({ key: 'manual-standard', version: 1, name: '직접 제공' } as const);

/** The graph of a flow version. Throws when this build does not have it, which only the deployment of an older build can cause. */
export function graphOf(key: string, version: number): Graph {
  const graph = published[`${key}@${version}`];
  if (!graph) throw new Error(`No flow ${key}@${version}`);
  return graph;
}
