import type { Action, Graph, Permissions, StateNode } from '../graph/graph.ts';
import { notify, onBuyer, onElapsed, onEvent, onSeller, remind, sellerCancels } from './parts.ts';

/** Cancelling while a proof is out costs 30 percent. */
const AFTER_PROOF: Permissions = { cancelRequest: { fee: { type: 'ratio', percent: 30 } }, ...sellerCancels };

const states: readonly StateNode[] = [
  {
    id: 'paid',
    type: 'state',
    status: 'PAID',
    step: 'SELLER_PROCESSING',
    label: '접수 대기',
    message: '판매자가 주문 내용을 확인하고 있습니다. 3일 안에 접수되지 않으면 자동으로 취소되고 전액 환불됩니다.',
    deadlines: [{ key: 'accept', after: 'P3D' }],
    permissions: { buyerCancel: true, ...sellerCancels },
  },
  {
    id: 'designing',
    type: 'state',
    status: 'CONFIRMED',
    step: 'SELLER_PROCESSING',
    label: '시안 제작 중',
    message: '시안을 만들고 있습니다. 완성 예정일은 {{inputs.madeBy}}입니다.',
    deadlines: [{ key: 'late', after: 'P7D', hidden: true }],
    permissions: { cancelRequest: { deduct: 'pct(refundable, 10)' }, ...sellerCancels },
  },
  {
    id: 'proof',
    type: 'state',
    status: 'CONFIRMED',
    step: 'BUYER_ACTION',
    label: '시안 확인',
    message: '시안을 확인하고 승인하거나 수정을 요청해 주세요. 승인하면 제작이 시작되어 취소와 변경을 할 수 없습니다.',
    deadlines: [
      { key: 'remind', after: 'P3D', hidden: true },
      { key: 'late', after: 'P7D' },
    ],
    attachments: { min: 1, max: 5, label: '시안' },
    permissions: AFTER_PROOF,
  },
  {
    id: 'proofLate',
    type: 'state',
    status: 'CONFIRMED',
    step: 'SELLER_PROCESSING',
    label: '시안 응답 지연',
    message: '시안에 대한 답을 기다리고 있습니다. 14일 안에 답이 없으면 주문이 취소되고 전액 환불됩니다.',
    deadlines: [{ key: 'close', after: 'P14D' }],
    permissions: AFTER_PROOF,
  },
  {
    id: 'production',
    type: 'state',
    status: 'CONFIRMED',
    step: 'SELLER_PROCESSING',
    label: '제작 중',
    message: '{{inputs.madeBy}}까지 제작합니다. 주문 제작 상품은 제작이 시작된 뒤에는 취소할 수 없습니다.',
    permissions: sellerCancels,
  },
  {
    id: 'shipping',
    type: 'state',
    status: 'DISPATCHED',
    step: 'IN_DELIVERY',
    label: '배송 중',
    deadlines: [{ key: 'autoDeliver', setting: 'autoDeliverDays' }],
  },
  {
    id: 'delivered',
    type: 'state',
    status: 'DELIVERED',
    step: 'DELIVERED',
    label: '배송 완료',
    message: '상품에 하자가 있으면 받은 날부터 7일 안에 반품을 신청해 주세요.',
    deadlines: [{ key: 'autoDecide', setting: 'autoConfirmDays' }],
    permissions: { returnRequest: { within: 'P7D' } },
  },
];

const actions: readonly Action[] = [
  {
    key: 'accept',
    by: 'seller',
    label: '주문 접수',
    mode: 'form',
    platform: 'confirm',
    input: [{ key: 'madeBy', type: 'date', label: '완성 예정일', required: true }],
  },
  {
    key: 'refuse',
    by: 'seller',
    label: '주문 거절',
    mode: 'form',
    input: [{ key: 'refuseReason', type: 'textarea', label: '거절 사유', required: true, maxLength: 500 }],
  },
  { key: 'sendProof', by: 'seller', label: '시안 보내기', mode: 'form' },
  { key: 'giveUp', by: 'seller', label: '주문 종료' },
  {
    key: 'approve',
    by: 'buyer',
    label: '시안 승인',
    mode: 'form',
    input: [{ key: 'agree', type: 'boolean', label: '승인 뒤에는 취소·변경할 수 없음에 동의합니다', required: true }],
  },
  {
    key: 'requestChange',
    by: 'buyer',
    label: '수정 요청',
    mode: 'form',
    maxUses: 2,
    input: [
      { key: 'change', type: 'textarea', label: '수정할 내용', required: true, maxLength: 1000 },
      { key: 'changeImages', type: 'image', label: '참고 이미지', maxFiles: 3 },
    ],
  },
  { key: 'dispatch', by: 'seller', label: '발송 처리', mode: 'form', platform: 'dispatch' },
  { key: 'delivered', by: 'seller', label: '배송 완료 처리', platform: 'delivered' },
  { key: 'decide', by: 'buyer', label: '구매 확정', platform: 'decide' },
  { key: 'extend', by: 'buyer', label: '구매 확정 연장', platform: 'extend' },
];

/** Goods made to order: the buyer approves a proof before they are made. Silence never starts production. */
export const customMade: Graph = {
  schema: 1,
  start: 'paid',
  states: [
    ...states,
    { id: 'decided', type: 'end', outcome: 'COMPLETED', label: '구매 확정' },
    { id: 'canceled', type: 'end', outcome: 'CANCELED', label: '주문 취소' },
  ],
  actions,
  edges: [
    onSeller('paid', 'accept', 'designing'),
    onSeller('paid', 'refuse', 'canceled', {
      run: [notify('buyer', 'refused', '주문이 거절되어 결제 금액을 전액 환불합니다. 사유: {{inputs.refuseReason}}')],
    }),
    onElapsed('paid', 'accept', 'canceled', {
      run: [notify('buyer', 'acceptTimeout', '판매자가 주문을 접수하지 않아 결제 금액을 전액 환불합니다.')],
    }),
    onSeller('designing', 'sendProof', 'proof', { run: [notify('buyer', 'proofReady', '시안이 도착했습니다. 확인하고 승인해 주세요.')] }),
    remind('designing', 'late', notify('seller', 'designLate', '시안을 보내지 않은 지 7일이 지났습니다.')),
    onBuyer('proof', 'approve', 'production'),
    onBuyer('proof', 'requestChange', 'designing', { run: [notify('seller', 'changeRequested', '구매자가 시안 수정을 요청했습니다.')] }),
    remind('proof', 'remind', notify('buyer', 'proofReminder', '아직 확인하지 않은 시안이 있습니다.')),
    onElapsed('proof', 'late', 'proofLate', { run: [notify('seller', 'proofLate', '구매자가 시안에 7일째 답하지 않았습니다.')] }),
    onSeller('proofLate', 'sendProof', 'proof', { run: [notify('buyer', 'proofReady', '시안이 도착했습니다. 확인하고 승인해 주세요.')] }),
    onBuyer('proofLate', 'approve', 'production'),
    onSeller('proofLate', 'giveUp', 'canceled'),
    onElapsed('proofLate', 'close', 'canceled', {
      run: [notify('buyer', 'proofClosed', '시안에 답이 없어 주문을 취소하고 결제 금액을 전액 환불합니다.')],
    }),
    onSeller('production', 'dispatch', 'shipping', { run: [{ type: 'tracking.start' }] }),
    onEvent('shipping', 'courier.delivered', 'delivered'),
    onSeller('shipping', 'delivered', 'delivered'),
    onElapsed('shipping', 'autoDeliver', 'delivered'),
    onBuyer('delivered', 'decide', 'decided'),
    onElapsed('delivered', 'autoDecide', 'decided'),
    onBuyer('delivered', 'extend', 'delivered', { internal: true, run: [{ type: 'deadline.extend', deadline: 'autoDecide', by: 'P7D' }] }),
  ],
};
