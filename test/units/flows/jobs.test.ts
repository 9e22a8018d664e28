/** What a step asks for and whom it tells. */
import { expect, test } from '@jest/globals';
import { jobsOf } from '../../../domain/flows/run/jobs.ts';
import { noticesOf } from '../../../domain/flows/run/notices.ts';
import type { Effect } from '../../../domain/flows/run/state.ts';

const state = (from: string | null, to: string): Effect => ({ type: 'state', from, to, label: to, at: 5 });
const status = (from: 'PAID' | 'CONFIRMED', to: 'CONFIRMED' | 'DELIVERED' | 'CANCELED'): Effect => ({ type: 'status', from, to, at: 5 });
const namesOf = (type: string, effects: readonly Effect[]) =>
  jobsOf({ type }, effects).map((job) => (job.type === 'event' ? job.name : job.type));

test.each([
  ['seller.action', ['ORDER.FLOW_STATE_CHANGED', 'ORDER.CONFIRMED']],
  ['move', ['ORDER.FLOW_STATE_CHANGED']],
  ['start', ['ORDER.CONFIRMED']],
])('%s to another status tells %j', (type, events) => {
  expect(namesOf(type, [state('paid', 'preparing'), status('PAID', 'CONFIRMED')])).toEqual(events);
});

test('a migration tells nothing but a new public status', () => {
  expect(namesOf('migrate', [])).toEqual([]);
  expect(namesOf('migrate', [status('PAID', 'CONFIRMED')])).toEqual(['ORDER.CONFIRMED']);
});

test('a provision is recorded, and tells FULFILLED before DELIVERED; one without a new status tells FULFILLED alone', () => {
  const record: Effect = { type: 'fulfillment.record', at: 5 };
  expect(namesOf('seller.action', [record, state('paid', 'provided'), status('PAID', 'DELIVERED')])).toEqual([
    'fulfillment.record',
    'ORDER.FLOW_STATE_CHANGED',
    'ORDER.FULFILLED',
    'ORDER.DELIVERED',
  ]);
  expect(namesOf('seller.action', [record])).toEqual(['fulfillment.record', 'ORDER.FULFILLED']);
});

test('a canceled end refunds and restores the stock, unless that was done on the way', () => {
  const canceled = (settled: boolean, restored: boolean): Effect[] => [
    state('paid', 'canceled'),
    { type: 'cancel', leavers: [{ id: 'oit_1', settled, restored }], at: 5 },
    status('PAID', 'CANCELED'),
  ];
  const events = ['ORDER.FLOW_STATE_CHANGED', 'ORDER.CANCELED'];
  expect(namesOf('elapsed', canceled(false, false))).toEqual(['refund', 'stock.restore', ...events]);
  expect(namesOf('elapsed', canceled(true, false))).toEqual(['stock.restore', ...events]);
  expect(namesOf('elapsed', canceled(false, true))).toEqual(['refund', ...events]);
});

test('a change of node tells the public status that comes with it', () => {
  const effects = [state('paid', 'a'), status('PAID', 'CONFIRMED'), state('a', 'b'), state('b', 'c'), status('CONFIRMED', 'DELIVERED')];
  const changes = noticesOf({ type: 'elapsed' }, effects).filter(({ type }) => type === 'ORDER.FLOW_STATE_CHANGED');
  expect(changes).toMatchObject([{ status: 'CONFIRMED' }, { status: 'CONFIRMED' }, { status: 'DELIVERED' }]);
  expect(noticesOf({ type: 'elapsed' }, [state('paid', 'a')])).toMatchObject([{ status: null }]);
});

test('decided items earn points; a notification is a job and an event', () => {
  expect(namesOf('buyer.action', [{ type: 'status', from: 'DELIVERED', to: 'PURCHASE_DECIDED', at: 5 }])).toEqual([
    'points.earn',
    'ORDER.PURCHASE_DECIDED',
  ]);
  const notify: Effect = { type: 'notify', name: 'ready', to: 'buyer', message: 'm', at: 5, members: ['oit_1'] };
  expect(jobsOf({ type: 'event' }, [notify])).toEqual([
    notify,
    { type: 'event', name: 'ORDER.FLOW_NOTIFICATION', at: 5, members: ['oit_1'] },
  ]);
});
