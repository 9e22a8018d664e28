import { describe, expect, test } from '@jest/globals';
import {
  afterFailure,
  candidatesOf,
  chooseOption,
  CIRCUIT,
  isCircuitDue,
  type Method,
  paymentOptions,
  type ProviderFacts,
  type Routing,
  type RoutingFacts,
  routingExclusion,
} from '../../../domain/paymentSettings/routing.ts';

const NOW = 1_000_000;
const CARD: Method = { method: 'CARD', provider: null };
const KAKAO: Method = { method: 'EASY_PAY', provider: 'KAKAOPAY' };
const TOSSPAY: Method = { method: 'EASY_PAY', provider: 'TOSSPAY' };
const DEPOSIT: Method = { method: 'VIRTUAL_ACCOUNT', provider: null };

const routed = (provider: ProviderFacts['provider'], changes: Partial<ProviderFacts> = {}): ProviderFacts => ({
  provider,
  enabled: true,
  methods: [CARD],
  newest: 'VERIFIED',
  serving: { credentialId: `crd_${provider}`, isRejected: false },
  openUntil: null,
  ...changes,
});
const facts = (providers: readonly ProviderFacts[], routing: Routing = 'AUTO_FAILOVER'): RoutingFacts => ({
  routing,
  environment: 'TEST',
  providers,
  realNow: NOW,
});
const toss = (changes: Partial<ProviderFacts> = {}) => routed('tosspayments', changes);
const portone = (changes: Partial<ProviderFacts> = {}) => routed('portone', changes);
const OPEN = { openUntil: NOW + 30_000 };
const REJECTED = { serving: { credentialId: 'crd', isRejected: true } };

describe('why a provider is not routed: the first reason that holds', () => {
  test.each<[string | null, Partial<ProviderFacts>]>([
    [null, {}],
    ['DISABLED', { enabled: false, newest: null, serving: null, ...OPEN }],
    ['NO_CREDENTIALS', { newest: null, serving: null, ...OPEN }],
    ['NOT_VERIFIED', { newest: 'UNVERIFIED', serving: null, ...OPEN }],
    ['VERIFICATION_FAILED', { newest: 'FAILED', serving: null, ...OPEN }],
    ['CREDENTIALS_REJECTED', { ...REJECTED, ...OPEN }],
    ['CIRCUIT_OPEN', OPEN],
    // The circuit may be tried again.
    [null, { openUntil: NOW }],
    // An older verified set serves until its successor is verified; one that fails leaves it serving.
    [null, { newest: 'UNVERIFIED' }],
    [null, { newest: 'FAILED' }],
  ])('%s', (expected, changes) => expect(routingExclusion(toss(changes), NOW)).toBe(expected));
});

describe('candidates and options', () => {
  const both = [toss({ methods: [CARD, KAKAO] }), portone({ methods: [KAKAO, DEPOSIT, CARD, TOSSPAY] })];
  const names = (list: readonly { pg: string; method: string; provider: string | null }[]) =>
    list.map(({ pg, method, provider }) => `${pg} ${provider ?? method}`);

  test('every routed provider’s methods, by priority, then in their order, without virtual accounts', () => {
    expect(names(candidatesOf(facts(both)))).toEqual([
      'tosspayments CARD',
      'tosspayments KAKAOPAY',
      'portone KAKAOPAY',
      'portone CARD',
      'portone TOSSPAY',
    ]);
    expect(candidatesOf(facts(both)).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
  });
  test('AUTO_FAILOVER offers each method and wallet once, PRIORITY_DISPLAY all of them', () => {
    expect(names(paymentOptions(facts(both)))).toEqual(['tosspayments CARD', 'tosspayments KAKAOPAY', 'portone TOSSPAY']);
    expect(paymentOptions(facts(both, 'PRIORITY_DISPLAY'))).toHaveLength(5);
  });
  test('nothing where nobody is routed', () => expect(paymentOptions(facts([toss(OPEN), portone({ enabled: false })]))).toEqual([]));
});

describe('the provider of an attempt', () => {
  const request = { pg: 'tosspayments', ...CARD } as const;
  const taken = (pg: 'tosspayments' | 'portone') => ({ option: { pg, ...CARD }, credentialId: `crd_${pg}` });
  const NOT_CONFIGURED = { refusal: 'PAYMENT_NOT_CONFIGURED' };

  test.each<[string, RoutingFacts, object]>([
    ['the requested one, where it is routed', facts([toss(), portone()]), taken('tosspayments')],
    ['… whatever comes before it', facts([portone(), toss()]), taken('tosspayments')],
    ['refused: the method is not switched on there', facts([toss({ methods: [KAKAO] }), portone()]), NOT_CONFIGURED],
    ['the next of the same method while its circuit is open', facts([toss(OPEN), portone()]), taken('portone')],
    ['… or while it is switched off', facts([toss({ enabled: false }), portone()]), taken('portone')],
    ['… or its keys are rejected', facts([toss(REJECTED), portone()]), taken('portone')],
    ['refused without a set in this environment', facts([toss({ newest: null, serving: null }), portone()]), NOT_CONFIGURED],
    [
      'refused until the circuit is tried, where the buyers choose',
      facts([toss(OPEN), portone()], 'PRIORITY_DISPLAY'),
      { refusal: 'PAYMENT_PROVIDER_UNAVAILABLE', retryAfterMs: 30_000 },
    ],
    [
      '… or nobody else has the method',
      facts([toss(OPEN), portone({ methods: [KAKAO] })]),
      { refusal: 'PAYMENT_PROVIDER_UNAVAILABLE', retryAfterMs: 30_000 },
    ],
    ['refused while it is not verified', facts([toss({ newest: 'UNVERIFIED', serving: null })]), NOT_CONFIGURED],
  ])('%s', (_, given, expected) => expect(chooseOption(given, request)).toEqual(expected));

  test('a virtual account is switched on and still refused', () =>
    expect(chooseOption(facts([toss({ methods: [DEPOSIT] })]), { pg: 'tosspayments', ...DEPOSIT })).toEqual(NOT_CONFIGURED));
  test('a failover goes on to the next that was not tried, and ends there', () => {
    expect(chooseOption(facts([toss(), portone()]), request, ['tosspayments'])).toEqual(taken('portone'));
    expect(chooseOption(facts([toss(), portone()]), request, ['tosspayments', 'portone'])).toEqual(NOT_CONFIGURED);
  });
});

describe('circuits', () => {
  test('five failures within a minute open it for a minute, and forget the count', () => {
    let failedAt: number[] = [];
    for (let n = 0; n < 4; n++) {
      const after = afterFailure(failedAt, NOW + n);
      expect(after.openUntil).toBeNull();
      ({ failedAt } = after);
    }
    expect(afterFailure(failedAt, NOW + CIRCUIT.withinMs - 1)).toEqual({
      failedAt: [],
      openUntil: NOW + CIRCUIT.withinMs - 1 + CIRCUIT.openMs,
    });
    expect(afterFailure(failedAt, NOW + CIRCUIT.withinMs)).toMatchObject({ openUntil: null });
  });
  test('it may be tried from the end of that minute on', () => {
    expect(isCircuitDue({ openUntil: null }, NOW)).toBe(false);
    expect(isCircuitDue({ openUntil: NOW + 1 }, NOW)).toBe(false);
    expect(isCircuitDue({ openUntil: NOW }, NOW)).toBe(true);
  });
});
