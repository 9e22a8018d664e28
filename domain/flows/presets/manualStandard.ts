import type { Graph } from '../graph/graph.ts';

/** The locked default flow of products that are provided, not shipped: paid → preparing → provided → decided. */
export const manualStandard: Graph = {
  schema: 1,
  start: 'paid',
  states: [
    {
      id: 'paid',
      type: 'state',
      status: 'PAID',
      step: 'SELLER_PROCESSING',
      label: '결제 완료',
      permissions: { buyerCancel: true, sellerForcedCancel: true, sellerCancelHoldRefund: true },
    },
    {
      id: 'preparing',
      type: 'state',
      status: 'CONFIRMED',
      step: 'SELLER_PROCESSING',
      label: '상품 준비 중',
      permissions: { cancelRequest: true, sellerForcedCancel: true, sellerCancelHoldRefund: true },
    },
    {
      id: 'provided',
      type: 'state',
      status: 'DELIVERED',
      step: 'DELIVERED',
      label: '제공 완료',
      deadlines: [{ key: 'autoDecide', setting: 'autoConfirmDays' }],
      permissions: { returnRequest: { within: 'P7D' }, sellerForcedCancel: true, sellerCancelHoldRefund: true },
    },
    { id: 'decided', type: 'end', outcome: 'COMPLETED', label: '구매 확정' },
  ],
  actions: [
    { key: 'confirm', by: 'seller', label: '주문 확인', platform: 'confirm' },
    { key: 'fulfill', by: 'seller', label: '제공 완료 처리', mode: 'form', platform: 'fulfill' },
    { key: 'decide', by: 'buyer', label: '구매 확정', platform: 'decide' },
    { key: 'extend', by: 'buyer', label: '구매 확정 연장', platform: 'extend' },
  ],
  edges: [
    { id: 'paid:confirm', from: 'paid', to: 'preparing', on: { type: 'seller.action', key: 'confirm' } },
    {
      id: 'paid:fulfill',
      from: 'paid',
      to: 'provided',
      on: { type: 'seller.action', key: 'fulfill' },
      run: [{ type: 'fulfillment.record' }],
    },
    {
      id: 'preparing:fulfill',
      from: 'preparing',
      to: 'provided',
      on: { type: 'seller.action', key: 'fulfill' },
      run: [{ type: 'fulfillment.record' }],
    },
    { id: 'provided:decide', from: 'provided', to: 'decided', on: { type: 'buyer.action', key: 'decide' } },
    { id: 'provided:@autoDecide', from: 'provided', to: 'decided', on: { type: 'elapsed', deadline: 'autoDecide' } },
    {
      id: 'provided:extend',
      from: 'provided',
      to: 'provided',
      on: { type: 'buyer.action', key: 'extend' },
      internal: true,
      run: [{ type: 'deadline.extend', deadline: 'autoDecide', by: 'P7D' }],
    },
  ],
};
