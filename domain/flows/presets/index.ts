import type { Graph, Progression } from '../graph/graph.ts';
import { compileFlow, type Flow } from '../run/flow.ts';
import { customMade } from './customMade.ts';
import { foodDelivery } from './foodDelivery.ts';
import { manualStandard } from './manualStandard.ts';
import { shippingStandard } from './shippingStandard.ts';
import { stay } from './stay.ts';
import { ticket } from './ticket.ts';

export { emptyGraph } from './emptyGraph.ts';

export interface Preset {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly progression: Progression;
  readonly graph: Graph;
}
const preset = (key: string, name: string, description: string, graph: Graph): Preset => ({
  key,
  name,
  description,
  progression: graph.requires?.progression ?? 'ITEM',
  graph,
});
/** What flows may begin as, in the specification's order. */
export const PRESETS: readonly Preset[] = [
  preset(
    'shipping-standard',
    '일반 배송',
    '택배로 보내는 상품의 기본 흐름입니다. 확인, 발송, 배송 완료, 구매 확정 순서로 나아갑니다.',
    shippingStandard,
  ),
  preset(
    'manual-standard',
    '직접 제공',
    '배송 없이 제공하는 상품의 기본 흐름입니다. 확인, 제공, 구매 확정 순서로 나아갑니다.',
    manualStandard,
  ),
  preset(
    'custom-made',
    '주문 제작',
    '구매자가 시안을 승인한 뒤에 제작하고 택배로 보냅니다. 시안은 두 번까지 수정을 요청할 수 있습니다.',
    customMade,
  ),
  preset(
    'food-delivery',
    '음식 배달',
    '한 주문의 음식을 함께 조리하고 직접 배달합니다. 10분 안에 접수하지 않으면 자동으로 취소됩니다.',
    foodDelivery,
  ),
  preset('ticket', '공연 예매', '예매 번호를 자동으로 발급하고, 공연일이 가까울수록 취소 수수료가 오릅니다.', ticket),
  preset('stay', '숙박 예약', '예약을 확정하고 체크인과 체크아웃을 따라갑니다. 성수기와 주말에 따라 취소 수수료가 다릅니다.', stay),
];

/** The default flows: versioned with the code, never changed. */
const BUILT_IN: Readonly<Record<string, { readonly graph: Graph; readonly flow: Flow }>> = {
  'shipping-standard@1': { graph: shippingStandard, flow: compileFlow({ '': shippingStandard }) },
  'manual-standard@1': { graph: manualStandard, flow: compileFlow({ '': manualStandard }) },
};

/** A flow version that is part of the code; undefined for those that stores have published. */
export const builtInFlow = (key: string, version: number): Flow | undefined => BUILT_IN[`${key}@${version}`]?.flow;
export const builtInGraph = (key: string): Graph | undefined => BUILT_IN[`${key}@1`]?.graph;
