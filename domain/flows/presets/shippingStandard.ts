import type { Graph } from '../graph/graph.ts';

/** The locked default flow of products that are shipped: paid → preparing → shipping → delivered → decided. */
export const shippingStandard: Graph = {
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
      id: 'shipping',
      type: 'state',
      status: 'DISPATCHED',
      step: 'IN_DELIVERY',
      label: '배송 중',
      deadlines: [{ key: 'autoDeliver', setting: 'autoDeliverDays' }],
      permissions: { returnRequest: true, exchangeRequest: true },
    },
    {
      id: 'delivered',
      type: 'state',
      status: 'DELIVERED',
      step: 'DELIVERED',
      label: '배송 완료',
      deadlines: [{ key: 'autoDecide', setting: 'autoConfirmDays' }],
      permissions: { returnRequest: { within: 'P7D' }, exchangeRequest: { within: 'P7D' } },
    },
    { id: 'decided', type: 'end', outcome: 'COMPLETED', label: '구매 확정' },
  ],
  actions: [
    { key: 'confirm', by: 'seller', label: '주문 확인', platform: 'confirm' },
    { key: 'dispatch', by: 'seller', label: '발송 처리', mode: 'form', platform: 'dispatch' },
    { key: 'delivered', by: 'seller', label: '배송 완료 처리', platform: 'delivered' },
    { key: 'decide', by: 'buyer', label: '구매 확정', platform: 'decide' },
    { key: 'extend', by: 'buyer', label: '구매 확정 연장', platform: 'extend' },
  ],
  edges: [
    { id: 'paid:confirm', from: 'paid', to: 'preparing', on: { type: 'seller.action', key: 'confirm' } },
    {
      id: 'preparing:dispatch',
      from: 'preparing',
      to: 'shipping',
      on: { type: 'seller.action', key: 'dispatch' },
      run: [{ type: 'tracking.start' }],
    },
    {
      id: 'shipping:courier.delivered',
      from: 'shipping',
      to: 'delivered',
      on: { type: 'event', name: 'courier.delivered' },
    },
    { id: 'shipping:delivered', from: 'shipping', to: 'delivered', on: { type: 'seller.action', key: 'delivered' } },
    { id: 'shipping:@autoDeliver', from: 'shipping', to: 'delivered', on: { type: 'elapsed', deadline: 'autoDeliver' } },
    { id: 'delivered:decide', from: 'delivered', to: 'decided', on: { type: 'buyer.action', key: 'decide' } },
    { id: 'delivered:@autoDecide', from: 'delivered', to: 'decided', on: { type: 'elapsed', deadline: 'autoDecide' } },
    {
      id: 'delivered:extend',
      from: 'delivered',
      to: 'delivered',
      on: { type: 'buyer.action', key: 'extend' },
      internal: true,
      run: [{ type: 'deadline.extend', deadline: 'autoDecide', by: 'P7D' }],
    },
  ],
};
