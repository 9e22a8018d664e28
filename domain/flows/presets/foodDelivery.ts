import type { Action, Graph } from '../graph/graph.ts';
import { notify, onElapsed, onEvent, onSeller, remind, sellerCancels } from './parts.ts';

const actions: readonly Action[] = [
  {
    key: 'accept',
    by: 'seller',
    label: '주문 접수',
    mode: 'form',
    platform: 'confirm',
    input: [
      {
        key: 'minutes',
        type: 'radio',
        label: '예상 소요 시간',
        required: true,
        options: [
          { value: '15', label: '15분' },
          { value: '30', label: '30분' },
          { value: '45', label: '45분' },
          { value: '60', label: '60분' },
        ],
      },
    ],
  },
  {
    key: 'refuse',
    by: 'seller',
    label: '주문 거절',
    mode: 'form',
    input: [
      {
        key: 'refuseReason',
        type: 'select',
        label: '거절 사유',
        required: true,
        options: [
          { value: 'SOLD_OUT', label: '재료 소진' },
          { value: 'TOO_BUSY', label: '주문 폭주' },
          { value: 'OUT_OF_AREA', label: '배달 불가 지역' },
          { value: 'CLOSED', label: '영업 종료' },
          { value: 'OTHER', label: '기타' },
        ],
      },
      {
        key: 'refuseDetail',
        type: 'text',
        label: '상세 사유',
        required: true,
        maxLength: 200,
        when: { key: 'refuseReason', in: ['OTHER'] },
      },
    ],
  },
  { key: 'depart', by: 'seller', label: '배달 출발', mode: 'form', platform: 'dispatch' },
  { key: 'arrive', by: 'seller', label: '배달 완료', platform: 'delivered' },
];

/** Everything of an order is cooked and brought together; goods that are delivered by hand. */
export const foodDelivery: Graph = {
  schema: 1,
  start: 'paid',
  requires: { progression: 'ORDER_GROUP', groupClaim: 'PAUSE' },
  states: [
    {
      id: 'paid',
      type: 'state',
      status: 'PAID',
      step: 'SELLER_PROCESSING',
      label: '접수 대기',
      message: '가게에서 주문을 확인하고 있습니다. 10분 안에 접수되지 않으면 자동으로 취소됩니다.',
      deadlines: [{ key: 'accept', after: 'PT10M' }],
      permissions: { buyerCancel: true, ...sellerCancels },
    },
    {
      id: 'cooking',
      type: 'state',
      status: 'CONFIRMED',
      step: 'SELLER_PROCESSING',
      label: '조리 중',
      message: '음식을 준비하고 있습니다. 약 {{inputs.minutes}}분 걸립니다.',
      deadlines: [{ key: 'late', after: 'PT60M', hidden: true }],
      permissions: sellerCancels,
    },
    {
      id: 'riding',
      type: 'state',
      status: 'DISPATCHED',
      step: 'IN_DELIVERY',
      label: '배달 중',
      message: '음식을 배달하고 있습니다.',
      deadlines: [{ key: 'autoArrive', after: 'PT2H', hidden: true }],
    },
    {
      id: 'arrived',
      type: 'state',
      status: 'DELIVERED',
      step: 'DELIVERED',
      label: '배달 완료',
      message: '맛있게 드세요. 음식에 문제가 있으면 3시간 안에 알려 주세요.',
      deadlines: [{ key: 'decide', after: 'P1D' }],
      permissions: { returnRequest: { within: 'PT3H' } },
    },
    { id: 'decided', type: 'end', outcome: 'COMPLETED', label: '주문 완료' },
    { id: 'canceled', type: 'end', outcome: 'CANCELED', label: '주문 취소' },
  ],
  actions,
  edges: [
    onSeller('paid', 'accept', 'cooking', {
      run: [notify('buyer', 'accepted', '주문이 접수되었습니다. 약 {{inputs.minutes}}분 걸립니다.')],
    }),
    onSeller('paid', 'refuse', 'canceled', {
      run: [notify('buyer', 'refused', '가게 사정으로 주문을 받지 못해 결제 금액을 전액 환불합니다.')],
    }),
    onElapsed('paid', 'accept', 'canceled', {
      run: [notify('buyer', 'acceptTimeout', '가게에서 주문을 접수하지 않아 결제 금액을 전액 환불합니다.')],
    }),
    remind('cooking', 'late', notify('seller', 'cookingLate', '접수한 지 60분이 지난 주문이 아직 조리 중입니다.')),
    onSeller('cooking', 'depart', 'riding'),
    onEvent('cooking', 'custom.rider.pickedUp', 'riding'),
    onSeller('riding', 'arrive', 'arrived'),
    onEvent('riding', 'custom.rider.delivered', 'arrived'),
    onElapsed('riding', 'autoArrive', 'arrived'),
    onElapsed('arrived', 'decide', 'decided'),
  ],
};
