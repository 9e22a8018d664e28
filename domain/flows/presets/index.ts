import type { Graph } from '../graph.ts';
import { compileFlow, type Flow } from '../flow.ts';
import { manualStandard } from './manualStandard.ts';
import { shippingStandard } from './shippingStandard.ts';

/** The default flows: versioned with the code, never changed. */
const BUILT_IN: Readonly<Record<string, { readonly name: string; readonly graph: Graph; readonly flow: Flow }>> = {
  'shipping-standard@1': { name: '일반 배송', graph: shippingStandard, flow: compileFlow({ '': shippingStandard }) },
  'manual-standard@1': { name: '직접 제공', graph: manualStandard, flow: compileFlow({ '': manualStandard }) },
};

/** The default flow of a fulfillment type (docs/contract.md#flow). */
export const defaultFlow = (type: 'SHIPPING' | 'MANUAL') =>
  type === 'SHIPPING'
    ? ({ key: 'shipping-standard', version: 1, name: '일반 배송' } as const)
    : ({ key: 'manual-standard', version: 1, name: '직접 제공' } as const);

/** A flow version that is part of the code; undefined for those that stores have published. */
export const builtInFlow = (key: string, version: number): Flow | undefined => BUILT_IN[`${key}@${version}`]?.flow;
export const builtInGraph = (key: string): Graph | undefined => BUILT_IN[`${key}@1`]?.graph;
