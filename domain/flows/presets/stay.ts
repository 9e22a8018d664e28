import type { Action, Graph, Permissions, StateNode } from '../graph/graph.ts';
import { notify, onElapsed, onSeller, remind, sellerCancels } from './parts.ts';

const WEEKEND = '(dayOfWeek(item.stay.checkIn) in [5, 6] || isHoliday(item.stay.checkIn + duration("24h")))';
const TABLE = `inRanges(item.stay.checkIn, peak) ? (${WEEKEND} ? peakWeekend : peakWeekday) : (${WEEKEND} ? offWeekend : offWeekday)`;
/** Free within a day of the payment, before the day of arrival; then by season, day of the week and the days that are left. */
const FEE = [
  'now < order.paidAt + duration("24h") && daysUntil(item.stay.checkIn) >= 1 ? 0',
  `pct(refundable, lookupStep(${TABLE}, daysUntil(item.stay.checkIn)))`,
].join(' : ');
const ARRIVAL = 'atTime(item.stay.checkIn, "15:00")';
const UNTIL_ARRIVAL: Permissions = { buyerCancel: { until: ARRIVAL, deduct: FEE }, ...sellerCancels };

const states: readonly StateNode[] = [
  {
    id: 'paid',
    type: 'state',
    status: 'PAID',
    step: 'SELLER_PROCESSING',
    label: '예약 확인 중',
    message: '숙소에서 예약을 확인하고 있습니다. 하루 안에 확정되지 않으면 자동으로 취소되고 전액 환불됩니다.',
    deadlines: [{ key: 'accept', after: 'P1D' }],
    permissions: { buyerCancel: true, ...sellerCancels },
  },
  {
    id: 'booked',
    type: 'state',
    status: 'CONFIRMED',
    step: 'SELLER_PROCESSING',
    label: '예약 확정',
    message: '{{item.stay.checkIn}} 15시부터 체크인하고 {{item.stay.checkOut}} 11시까지 체크아웃해 주세요.',
    deadlines: [
      { key: 'remind', at: 'atTime(item.stay.checkIn, "10:00") - duration("24h")', hidden: true, ifPast: 'skip' },
      { key: 'checkIn', at: ARRIVAL },
    ],
    permissions: UNTIL_ARRIVAL,
  },
  {
    id: 'staying',
    type: 'state',
    status: 'DELIVERED',
    step: 'DELIVERED',
    label: '이용 중',
    message: '편안한 시간 보내세요. 체크아웃은 {{item.stay.checkOut}} 11시까지입니다.',
    deadlines: [{ key: 'checkOut', at: 'atTime(item.stay.checkOut, "11:00")' }],
    permissions: { sellerForcedCancel: true },
  },
  {
    id: 'left',
    type: 'state',
    status: 'DELIVERED',
    step: 'DELIVERED',
    label: '이용 완료',
    message: '이용에 문제가 있었다면 하루 안에 환불을 신청해 주세요.',
    deadlines: [{ key: 'decide', after: 'P1D' }],
    permissions: { returnRequest: { within: 'P1D' }, sellerForcedCancel: true },
  },
];

const actions: readonly Action[] = [
  { key: 'accept', by: 'seller', label: '예약 확정', platform: 'confirm' },
  {
    key: 'refuse',
    by: 'seller',
    label: '예약 거절',
    mode: 'form',
    input: [{ key: 'refuseReason', type: 'textarea', label: '거절 사유', required: true, maxLength: 500 }],
  },
  { key: 'fulfill', by: 'seller', label: '체크인 처리', mode: 'form', platform: 'fulfill' },
  { key: 'noShow', by: 'seller', label: '노쇼 처리' },
];

/** Stays by the night: fees follow the season, the day of the week and how near the arrival is. */
export const stay: Graph = {
  schema: 1,
  start: 'paid',
  tables: {
    peak: [
      { from: '07-15', to: '08-24' },
      { from: '12-20', to: '02-20' },
    ],
    peakWeekday: [
      { days: 10, value: 0 },
      { days: 7, value: 10 },
      { days: 5, value: 30 },
      { days: 3, value: 50 },
      { days: 0, value: 80 },
    ],
    peakWeekend: [
      { days: 10, value: 0 },
      { days: 7, value: 20 },
      { days: 5, value: 40 },
      { days: 3, value: 60 },
      { days: 0, value: 90 },
    ],
    offWeekday: [
      { days: 2, value: 0 },
      { days: 1, value: 10 },
      { days: 0, value: 20 },
    ],
    offWeekend: [
      { days: 2, value: 0 },
      { days: 1, value: 20 },
      { days: 0, value: 30 },
    ],
  },
  states: [
    ...states,
    { id: 'decided', type: 'end', outcome: 'COMPLETED', label: '이용 확정' },
    { id: 'canceled', type: 'end', outcome: 'CANCELED', label: '예약 취소' },
  ],
  actions,
  edges: [
    onSeller('paid', 'accept', 'booked', {
      run: [notify('buyer', 'booked', '예약이 확정되었습니다. {{item.stay.checkIn}} 15시부터 체크인할 수 있습니다.')],
    }),
    onSeller('paid', 'refuse', 'canceled', {
      run: [notify('buyer', 'refused', '예약을 받지 못해 결제 금액을 전액 환불합니다. 사유: {{inputs.refuseReason}}')],
    }),
    onElapsed('paid', 'accept', 'canceled', {
      run: [notify('buyer', 'acceptTimeout', '예약이 확정되지 않아 결제 금액을 전액 환불합니다.')],
    }),
    remind('booked', 'remind', notify('buyer', 'stayTomorrow', '내일 15시부터 체크인할 수 있습니다.')),
    onSeller('booked', 'fulfill', 'staying', { run: [{ type: 'fulfillment.record' }] }),
    onElapsed('booked', 'checkIn', 'staying', { run: [{ type: 'fulfillment.record' }] }),
    onSeller('staying', 'noShow', 'decided', { run: [notify('buyer', 'noShow', '숙소에 오지 않아 노쇼로 처리되었습니다.')] }),
    onElapsed('staying', 'checkOut', 'left'),
    onElapsed('left', 'decide', 'decided'),
  ],
};
