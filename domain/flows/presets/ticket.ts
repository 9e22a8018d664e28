import type { Action, Graph, Permissions } from '../graph/graph.ts';
import { notify, onElapsed, onResult, onSeller, remind, sellerCancels } from './parts.ts';

/** Free within a day of the payment, if the show is three days away; then by the days that are left. */
const FEE = [
  'now < order.paidAt + duration("24h") && daysUntil(item.option.showAt) >= 3 ? 0',
  'pct(refundable, lookupStep(showFee, daysUntil(item.option.showAt)))',
].join(' : ');
const UNTIL_SHOW: Permissions = { buyerCancel: { until: 'item.option.showAt', deduct: FEE }, ...sellerCancels };

const actions: readonly Action[] = [
  {
    key: 'fulfill',
    by: 'seller',
    label: '발권 처리',
    mode: 'form',
    platform: 'fulfill',
    input: [{ key: 'note', type: 'text', label: '예매 번호', required: true, maxLength: 100 }],
  },
  { key: 'admit', by: 'seller', label: '입장 확인' },
  {
    key: 'callOff',
    by: 'seller',
    label: '공연 취소',
    mode: 'form',
    input: [{ key: 'callOffReason', type: 'textarea', label: '취소 사유', required: true, maxLength: 500 }],
  },
];
const calledOff = { run: [notify('buyer', 'calledOff', '공연이 취소되어 결제 금액을 전액 환불합니다. 사유: {{inputs.callOffReason}}')] };

/** Tickets of shows: an external service issues them, or the seller; fees grow as the show (`item.option.showAt`) comes near. */
export const ticket: Graph = {
  schema: 1,
  start: 'paid',
  tables: {
    showFee: [
      { days: 10, value: 0 },
      { days: 7, value: 10 },
      { days: 3, value: 20 },
      { days: 1, value: 30 },
      { days: 0, value: 90 },
    ],
  },
  states: [
    {
      id: 'paid',
      type: 'state',
      status: 'PAID',
      step: 'SELLER_PROCESSING',
      label: '발권 대기',
      message: '곧 예매 번호를 발급합니다.',
      deadlines: [{ key: 'issue', after: 'PT1M', hidden: true }],
      permissions: { buyerCancel: true, ...sellerCancels },
    },
    {
      id: 'issue',
      type: 'external',
      label: '자동 발권',
      status: 'PAID',
      secret: 'ticket-issuer',
      method: 'POST',
      path: '/tickets',
      body: { orderItemId: '{{item.orderItemId}}', quantity: '{{item.activeQuantity}}' },
      timeoutSeconds: 10,
      saveAs: 'ticket',
    },
    {
      id: 'manualIssue',
      type: 'state',
      status: 'CONFIRMED',
      step: 'SELLER_PROCESSING',
      label: '발권 중',
      message: '판매자가 예매를 확정하고 있습니다.',
      permissions: UNTIL_SHOW,
    },
    {
      id: 'issued',
      type: 'state',
      status: 'DELIVERED',
      step: 'DELIVERED',
      label: '예매 완료',
      // The service's number, or the seller's.
      message: '예매 번호는 {{data.ticket.code}}{{inputs.note}}입니다. 공연장에서 보여 주세요.',
      deadlines: [
        { key: 'remind', at: 'atTime(item.option.showAt, "09:00") - duration("24h")', hidden: true, ifPast: 'skip' },
        { key: 'over', at: 'item.option.showAt + duration("6h")', hidden: true },
      ],
      permissions: UNTIL_SHOW,
    },
    { id: 'used', type: 'end', outcome: 'COMPLETED', label: '관람 완료' },
    { id: 'canceled', type: 'end', outcome: 'CANCELED', label: '예매 취소' },
  ],
  actions,
  edges: [
    onElapsed('paid', 'issue', 'issue'),
    onResult('issue', 'success', 'issued', {
      run: [
        { type: 'fulfillment.record' },
        notify('buyer', 'ticketIssued', '예매가 확정되었습니다. 예매 번호는 {{data.ticket.code}}입니다.'),
      ],
    }),
    onResult('issue', 'skipped', 'manualIssue'),
    onResult('issue', 'failed', 'manualIssue', { run: [notify('seller', 'issueFailed', '자동 발권에 실패했습니다. 직접 발권해 주세요.')] }),
    onSeller('manualIssue', 'fulfill', 'issued', {
      run: [{ type: 'fulfillment.record' }, notify('buyer', 'ticketIssued', '예매가 확정되었습니다. 예매 번호는 {{inputs.note}}입니다.')],
    }),
    onSeller('manualIssue', 'callOff', 'canceled', calledOff),
    remind('issued', 'remind', notify('buyer', 'showTomorrow', '내일 공연이 있습니다. 예매 번호를 챙겨 주세요.')),
    onSeller('issued', 'admit', 'used'),
    onElapsed('issued', 'over', 'used'),
    onSeller('issued', 'callOff', 'canceled', calledOff),
  ],
};
