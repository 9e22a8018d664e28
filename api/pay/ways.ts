/** The ways to pay that a payment has: what its routing offers, without what turned out to be unavailable in it (Y14). */
import type { PaymentAttempt } from '../../db/payments/entities.ts';
import { type Candidate, type Option, paymentOptions, type RoutingFacts } from '../../domain/paymentSettings/routing.ts';

export const optionOf = ({ pg, method, provider }: Pick<PaymentAttempt, 'pg' | 'method' | 'provider'>): Option =>
  ({ pg, method, provider: provider ?? null }) as Option;
const isSameMethod = (a: Option, b: Option): boolean => a.method === b.method && a.provider === b.provider;
export const isSameOption = (a: Option, b: Option): boolean => a.pg === b.pg && isSameMethod(a, b);

export interface Ways {
  /** Whether the attempt's own option may be tried again. */
  readonly isOwnAvailable: boolean;
  readonly others: readonly Candidate[];
}
type Tried = Pick<PaymentAttempt, 'pg' | 'method' | 'provider' | 'failure'>;

/** The ways beside the attempt's own option. With AUTO_FAILOVER the provider is no choice, so the method is not offered a second time. */
export function waysOf(facts: RoutingFacts, attempt: Tried, attempts: readonly Tried[]): Ways {
  const own = optionOf(attempt);
  const unavailable = attempts.filter(({ failure }) => failure?.optionUnavailable === true).map(optionOf);
  const isAvailable = (option: Option): boolean => !unavailable.some((one) => isSameOption(one, option));
  const providers = facts.providers.map((provider) => ({
    ...provider,
    methods: provider.methods.filter((method) => isAvailable({ pg: provider.provider, ...method })),
  }));
  const isOwnAvailable = isAvailable(own);
  const isOwn = facts.routing === 'AUTO_FAILOVER' ? isSameMethod : isSameOption;
  const others = paymentOptions({ ...facts, providers }).filter((one) => !(isOwnAvailable && isOwn(one, own)));
  return { isOwnAvailable, others };
}
