/** Scenarios through a flow: each step with its time, way, jobs and what may be claimed then. */
import { describe, expect, test } from '@jest/globals';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import { type Answer, simulate, type SimulatedEvent } from '../../../domain/flows/rehearse/simulate.ts';
import { DAY, MINUTE } from '../../../domain/kernel/time.ts';
import { simulation, T0 } from './randomGraphs.ts';

const shipping = builtInFlow('shipping-standard', 1)!;
const start = { event: { type: 'start' } } as const;
const seller = (key: string) => ({ event: { type: 'seller.action', key } as SimulatedEvent });
const nodeOf = ({ state }: Answer) => state?.positions[0]?.node;
const eventsOf = ({ jobs }: Answer) => jobs.flatMap((job) => (job.type === 'event' ? [[job.name, job.at - T0]] : []));

test('a parcel: confirmed, dispatched, delivered and decided by time, each at its own time in one answer', () => {
  const steps = [start, seller('confirm'), seller('dispatch'), { advance: 20 * DAY }];
  const settings = { autoDeliverDays: 7, autoConfirmDays: 7 };
  const answers = simulate(shipping, simulation(steps, { settings }));
  expect(answers.map(nodeOf)).toEqual(['paid', 'preparing', 'shipping', 'decided']);
  expect(answers.map(({ edges }) => edges)).toEqual([
    [],
    ['paid:confirm'],
    ['preparing:dispatch'],
    ['shipping:@autoDeliver', 'delivered:@autoDecide'],
  ]);
  expect(answers[2]!.jobs.map(({ type }) => type)).toEqual(['tracking.start', 'event', 'event']);
  expect(eventsOf(answers[3]!)).toEqual([
    ['ORDER.FLOW_STATE_CHANGED', 7 * DAY],
    ['ORDER.DELIVERED', 7 * DAY],
    ['ORDER.FLOW_STATE_CHANGED', 14 * DAY],
    ['ORDER.PURCHASE_DECIDED', 14 * DAY],
  ]);
  expect(answers[3]!).toMatchObject({ at: T0 + 20 * DAY, state: { status: 'PURCHASE_DECIDED', done: 'COMPLETED' } });
});

test('a refused step changes nothing, and the rest goes on', () => {
  const steps = [start, seller('dispatch'), { event: { type: 'event', name: 'custom.x' } } as const, start, seller('confirm')];
  const answers = simulate(shipping, simulation(steps));
  expect(answers.map(({ refusal }) => refusal && [refusal.code, refusal.reason])).toEqual([
    null,
    ['ACTION_NOT_AVAILABLE', 'NOT_IN_STATE'],
    ['FLOW_EVENT_NOT_ACCEPTED', 'NOT_IN_STATE'],
    ['STALE', 'STALE'],
    null,
  ]);
  expect(answers.map(nodeOf)).toEqual(['paid', 'paid', 'paid', 'paid', 'preparing']);
});

test('a claim stops everything but a second one; approved, it leaves with the whole quantity', () => {
  const [open, close] = [{ event: { type: 'claim.opened' } } as const, { event: { type: 'claim.closed', leaves: true } } as const];
  const answers = simulate(shipping, simulation([start, close, open, open, seller('confirm'), { advance: 30 * DAY }, close, open]));
  expect(answers.map(({ refusal }) => refusal?.reason ?? null)).toEqual([
    null,
    'NOT_IN_STATE',
    null,
    'CLAIM_IN_PROGRESS',
    'CLAIM_IN_PROGRESS',
    null,
    null,
    'FINISHED',
  ]);
  expect(answers[2]!.permissions.buyerCancel).toMatchObject({ allowed: false, reason: 'CLAIM_IN_PROGRESS' });
  expect(answers[6]!.state).toMatchObject({ status: 'CANCELED', done: 'CANCELED' });
});

test('after 2,000 events, deadlines and answers a step tells how far it came, and is the last one', () => {
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    states: [
      { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid', deadlines: [{ key: 'tick', after: 'PT3M' }] },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    ],
    actions: [{ key: 'finish', by: 'seller', label: 'finish' }],
    edges: [
      { id: 'tick', from: 'paid', to: 'paid', on: { type: 'elapsed', deadline: 'tick' } },
      { id: 'finish', from: 'paid', to: 'done', on: { type: 'seller.action', key: 'finish' } },
    ],
  };
  const steps = [start, { advance: 4 * DAY }, { advance: DAY }, { advance: MINUTE - 1 }, seller('finish')];
  const answers = simulate(compileFlow({ '': graph }), simulation(steps));
  expect(answers.map(({ refusal, truncated }) => [refusal, truncated])).toEqual([
    [null, null],
    [null, null],
    [null, 'HAPPENINGS'],
  ]);
  expect(answers.map(({ at }) => at - T0)).toEqual([0, 4 * DAY, 1999 * 3 * MINUTE]);
  expect(answers.map(({ edges }) => edges.length)).toEqual([0, 4 * 480, 79]);
  const within = simulate(compileFlow({ '': graph }), simulation([start, { advance: 2000 * 3 * MINUTE - 1 }]));
  expect(within.map(({ truncated }) => truncated)).toEqual([null, null]);
});

test('nothing is done to an item that stands still while its group goes on, until it joins the group', () => {
  const flow = compileFlow({ '': { ...shipping.main.graph, requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' } } });
  const [open, close] = [{ event: { type: 'claim.opened' } } as const, { event: { type: 'claim.closed' } } as const];
  const steps = [start, seller('confirm'), seller('dispatch'), open, { advance: 20 * DAY }, close];
  const [meanwhile, joined] = simulate(flow, simulation(steps, { settings: { autoDeliverDays: 7, autoConfirmDays: 7 } })).slice(-2);
  expect([meanwhile!.edges, meanwhile!.jobs]).toEqual([['shipping:@autoDeliver', 'delivered:@autoDecide'], []]);
  expect(eventsOf(joined!)).toEqual([
    ['ORDER.FLOW_STATE_CHANGED', 20 * DAY],
    ['ORDER.PURCHASE_DECIDED', 20 * DAY],
  ]);
});

test('a claim that was filed before the group was on its way is a cancel, wherever the group is at its approval', () => {
  const waiting = { type: 'state', step: 'SELLER_PROCESSING' } as const;
  const flow = compileFlow({
    '': {
      schema: 1,
      start: 'paid',
      requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' },
      states: [
        { ...waiting, id: 'paid', label: 'paid', status: 'PAID', deadlines: [{ key: 'soon', after: 'P1D' }] },
        { ...waiting, id: 'sent', label: 'sent', status: 'DISPATCHED' },
      ],
      actions: [],
      edges: [{ id: 'elapsed', from: 'paid', to: 'sent', on: { type: 'elapsed', deadline: 'soon' } }],
    },
  });
  const [open, close] = [{ event: { type: 'claim.opened' } } as const, { event: { type: 'claim.closed', leaves: true } } as const];
  const [, , meanwhile, left] = simulate(flow, simulation([start, open, { advance: 2 * DAY }, close]));
  expect([meanwhile!.state!.status, left!.state!.status]).toEqual(['DISPATCHED', 'CANCELED']);
});

test('a deadline that has come already goes before the answer of an external service', () => {
  const waiting = { type: 'state', status: 'PAID', step: 'SELLER_PROCESSING' } as const;
  const branches = ['asking', 'late'].map((start) => ({ key: start, start }));
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    states: [
      { ...waiting, id: 'paid', label: 'paid' },
      { id: 'both', type: 'parallel', branches, join: 'joined' },
      { id: 'asking', type: 'external', status: 'PAID', secret: 'service', method: 'POST', path: '/', timeoutSeconds: 5 },
      { ...waiting, id: 'late', label: 'late', deadlines: [{ key: 'past', at: 'order.paidAt' }] },
      { id: 'joined', type: 'join' },
      { id: 'end', type: 'end', outcome: 'COMPLETED', label: 'end' },
    ],
    actions: [{ key: 'go', by: 'seller', label: 'go' }],
    edges: [
      { id: 'go', from: 'paid', to: 'both', on: { type: 'seller.action', key: 'go' } },
      { id: 'answered', from: 'asking', to: 'joined', on: { type: 'result', value: 'success' } },
      { id: 'elapsed', from: 'late', to: 'joined', on: { type: 'elapsed', deadline: 'past' } },
      { id: 'done', from: 'joined', to: 'end', on: { type: 'result', value: 'joined' } },
    ],
  };
  const [, answer] = simulate(compileFlow({ '': graph }), simulation([start, seller('go')]));
  expect(answer!.edges).toEqual(['go', 'elapsed', 'answered', 'done']);
});

describe('a ticket that an external service issues', () => {
  const ticket: Graph = {
    schema: 1,
    start: 'paid',
    tables: { fee: [7, 3, 0].map((days, i) => ({ days, value: [0, 20, 90][i]! })) },
    states: [
      {
        id: 'paid',
        type: 'state',
        status: 'PAID',
        step: 'SELLER_PROCESSING',
        label: '결제 완료',
        deadlines: [{ key: 'grace', after: 'PT1M' }],
        permissions: { buyerCancel: true },
      },
      { id: 'issue', type: 'external', status: 'PAID', secret: 'issuer', method: 'POST', path: '/tickets', timeoutSeconds: 10 },
      {
        id: 'issued',
        type: 'state',
        status: 'DELIVERED',
        step: 'DELIVERED',
        label: '발급 완료',
        deadlines: [{ key: 'over', at: 'atTime(item.stay.checkIn, "23:00")' }],
        permissions: {
          buyerCancel: {
            until: 'atTime(item.stay.checkIn, "00:00")',
            deduct: 'pct(refundable, lookupStep(fee, daysUntil(item.stay.checkIn)))',
          },
        },
      },
      { id: 'refused', type: 'end', outcome: 'CANCELED', label: '발급 거절' },
      { id: 'used', type: 'end', outcome: 'COMPLETED', label: '사용 완료' },
    ],
    actions: [],
    edges: [
      { id: 'ask', from: 'paid', to: 'issue', on: { type: 'elapsed', deadline: 'grace' } },
      { id: 'ok', from: 'issue', to: 'issued', on: { type: 'result', value: 'success' }, run: [{ type: 'fulfillment.record' }] },
      { id: 'skip', from: 'issue', to: 'issued', on: { type: 'result', value: 'skipped' } },
      { id: 'no', from: 'issue', to: 'refused', on: { type: 'result', value: 'failed' } },
      { id: 'end', from: 'issued', to: 'used', on: { type: 'elapsed', deadline: 'over' } },
    ],
  };
  const flow = compileFlow({ '': ticket });
  test('answers at the time at which it is asked, in the middle of an advance', () => {
    const [, later] = simulate(flow, simulation([start, { advance: 20 * DAY }]));
    expect(later!.edges).toEqual(['ask', 'ok', 'end']);
    expect(later!.jobs.filter(({ type }) => type !== 'event').map(({ type, at }) => [type, at - T0])).toEqual([
      ['external.call', MINUTE],
      ['fulfillment.record', MINUTE],
      ['points.earn', Date.parse('2026-12-05T23:00+09:00') - T0],
    ]);
    expect(eventsOf(later!).map(([name]) => name)).toContain('ORDER.FULFILLED');
  });
  test('as the scenario says: a failure cancels, refunds and restores the stock', () => {
    const [, later] = simulate(flow, simulation([start, { advance: MINUTE }], { results: { issue: 'failed' } }));
    expect(later!.edges).toEqual(['ask', 'no']);
    expect(later!.jobs.map((job) => (job.type === 'event' ? job.name : job.type))).toEqual([
      'external.call',
      'ORDER.FLOW_STATE_CHANGED',
      'refund',
      'stock.restore',
      'ORDER.FLOW_STATE_CHANGED',
      'ORDER.CANCELED',
    ]);
    expect(later!.state).toMatchObject({ done: 'CANCELED', status: 'CANCELED' });
  });
  test('what may be claimed changes with the days, and so does its fee', () => {
    const answers = simulate(
      flow,
      simulation([start, { advance: MINUTE }, { advance: 3 * DAY }, { advance: 5 * DAY }, { advance: 2 * DAY }]),
    );
    const until = Date.parse('2026-12-05T00:00+09:00');
    expect(answers.map(({ permissions: { buyerCancel } }) => buyerCancel)).toMatchObject([
      { allowed: true, until: null, deductWon: 0 },
      { allowed: true, until, deductWon: 0 },
      { allowed: true, until, deductWon: 0 },
      { allowed: true, until, deductWon: 27_000 },
      { allowed: false, reason: 'PERIOD_EXPIRED', until },
    ]);
    expect(answers[0]!.permissions.returnRequest).toMatchObject({ allowed: false, reason: 'NOT_IN_STATE' });
    const claim = { quantity: 1, refundableWon: 5000 };
    const [, , , late] = simulate(flow, simulation([start, { advance: MINUTE }, { advance: 3 * DAY }, { advance: 5 * DAY }], { claim }));
    expect(late!.permissions.buyerCancel.deductWon).toBe(4500);
  });
});
