/** The ways to pay that a payment has beside its attempt's. */
import { expect, test } from '@jest/globals';
import { waysOf } from '../../../api/pay/ways.ts';
import type { Method, RoutingFacts } from '../../../domain/paymentSettings/routing.ts';
import { failureOf } from '../../../domain/payments/failures.ts';
import type { ProviderName } from '../../../domain/payments/providers.ts';

const CARD: Method = { method: 'CARD', provider: null };
const KAKAO: Method = { method: 'EASY_PAY', provider: 'KAKAOPAY' };
const facts = (routing: RoutingFacts['routing'], toss: readonly Method[], portone: readonly Method[]): RoutingFacts => ({
  routing,
  environment: 'TEST',
  realNow: 0,
  providers: (['tosspayments', 'portone'] as const).map((provider) => ({
    provider,
    enabled: true,
    newest: 'VERIFIED',
    serving: { credentialId: provider, isRejected: false },
    openUntil: null,
    methods: provider === 'portone' ? portone : toss,
  })),
});
const attempt = (pg: ProviderName, { method, provider }: Method, code: string | null = null) => ({
  pg,
  method,
  provider,
  failure: code === null ? null : failureOf('att_1', code),
});
type Attempt = ReturnType<typeof attempt>;
const ways = (given: RoutingFacts, own: Attempt, attempts: readonly Attempt[] = [own]) => {
  const { isOwnAvailable, others } = waysOf(given, own, attempts);
  return [isOwnAvailable, ...others.map(({ pg, method, provider }) => `${pg} ${provider ?? method}`)];
};

test('with AUTO_FAILOVER each other method once, the provider is no choice', () => {
  const given = facts('AUTO_FAILOVER', [CARD, KAKAO], [CARD]);
  expect(ways(given, attempt('tosspayments', CARD))).toEqual([true, 'tosspayments KAKAOPAY']);
  expect(ways(given, attempt('portone', CARD))).toEqual([true, 'tosspayments KAKAOPAY']);
});
test('with PRIORITY_DISPLAY every other candidate', () => {
  const given = facts('PRIORITY_DISPLAY', [CARD, KAKAO], [CARD]);
  expect(ways(given, attempt('tosspayments', CARD))).toEqual([true, 'tosspayments KAKAOPAY', 'portone CARD']);
});
test('a single option leaves no choice', () => {
  expect(ways(facts('PRIORITY_DISPLAY', [CARD], []), attempt('tosspayments', CARD))).toEqual([true]);
});
test('an option that became unavailable in this payment is offered no more; its method is, at the next provider', () => {
  const refused = attempt('tosspayments', CARD, 'NOT_SUPPORTED_METHOD');
  expect(ways(facts('AUTO_FAILOVER', [CARD, KAKAO], [CARD]), refused)).toEqual([false, 'tosspayments KAKAOPAY', 'portone CARD']);
  expect(ways(facts('PRIORITY_DISPLAY', [CARD], [CARD]), refused)).toEqual([false, 'portone CARD']);
  const next = attempt('portone', CARD);
  expect(ways(facts('PRIORITY_DISPLAY', [CARD], [CARD]), next, [refused, next])).toEqual([true]);
});
test('what was declined may be tried again', () => {
  expect(ways(facts('AUTO_FAILOVER', [CARD], [CARD]), attempt('tosspayments', CARD, 'REJECT_CARD_PAYMENT'))).toEqual([true]);
});
