/** The fees of shows and stays by the consumer dispute standards, as sellers write them, and what they read. */
import type { InputTypes, Scope, Tables } from '../../../../domain/flows/expressions/types.ts';

export const kst = (text: string): number => Date.parse(`${text}+09:00`);

export const tables: Tables = {
  showFee: steps({ 10: 0, 7: 10, 3: 20, 1: 30, 0: 90 }),
  peak: [
    { from: '07-15', to: '08-24' },
    { from: '12-20', to: '02-20' },
  ],
  peakWeekday: steps({ 10: 0, 7: 10, 5: 30, 3: 50, 0: 80 }),
  peakWeekend: steps({ 10: 0, 7: 20, 5: 40, 3: 60, 0: 90 }),
  offWeekday: steps({ 2: 0, 1: 10, 0: 20 }),
  offWeekend: steps({ 2: 0, 1: 20, 0: 30 }),
};
function steps(rows: Readonly<Record<number, number>>): Tables[string] {
  return Object.entries(rows).map(([days, value]) => ({ days: Number(days), value }));
}

export const inputs: InputTypes = {
  color: 'select',
  memo: 'textarea',
  count: 'number',
  agree: 'boolean',
  tops: 'checkbox',
  photos: 'image',
  day: 'date',
  at: 'datetime',
};

const grace = 'now < order.paidAt + duration("24h")';
export const SHOW = `${grace} && daysUntil(item.option.showAt) >= 3 ? 0 : pct(refundable, lookupStep(showFee, daysUntil(item.option.showAt)))`;

const weekend = '(dayOfWeek(item.stay.checkIn) in [5, 6] || isHoliday(item.stay.checkIn + duration("24h")))';
export const STAY = `${grace} && daysUntil(item.stay.checkIn) >= 1 ? 0
  : pct(refundable, lookupStep(inRanges(item.stay.checkIn, peak)
      ? (${weekend} ? peakWeekend : peakWeekday) : (${weekend} ? offWeekend : offWeekday), daysUntil(item.stay.checkIn)))`;

export const scope: Scope = {
  now: kst('2026-07-25T10:00'),
  enteredAt: kst('2026-07-20T10:00'),
  holidays: new Set(['2026-08-15', '2026-08-17', '2026-10-03', '2026-10-05', '2026-12-25']),
  inputs: {},
  refundable: 100_000,
  claim: { quantity: 1, reason: 'CHANGE_OF_MIND' },
  item: { quantity: 2, activeQuantity: 2, unitPrice: 50_000, option: {}, stay: null },
  order: { paidAt: kst('2026-01-01T10:00'), totalAmount: 100_000 },
};
export const withInputs = (sent: Readonly<Record<string, unknown>>): Scope => ({ ...scope, inputs: sent });
export const withOption = (option: Readonly<Record<string, unknown>>): Scope => ({ ...scope, item: { ...scope.item, option } });
export const withStay = (checkIn: string, now: string, paidAt = '2026-01-01T10:00'): Scope => ({
  ...scope,
  now: kst(now),
  item: { ...scope.item, stay: { checkIn, checkOut: checkIn, nights: 1 } },
  order: { ...scope.order, paidAt: kst(paidAt) },
});
