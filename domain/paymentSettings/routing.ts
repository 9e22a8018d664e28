/** Which provider takes a payment (docs/contract.md#payment-settings). */
import type { Environment, ProviderName } from '../payments/providers.ts';
import type { PaymentMethod } from '../payments/rules.ts';

export const ROUTINGS = ['AUTO_FAILOVER', 'PRIORITY_DISPLAY'] as const;
export type Routing = (typeof ROUTINGS)[number];

export const WALLETS = ['KAKAOPAY', 'NAVERPAY', 'TOSSPAY', 'PAYCO', 'SAMSUNGPAY', 'APPLEPAY', 'LPAY', 'SSGPAY'] as const;
export type Wallet = (typeof WALLETS)[number];
/** `provider`: the wallet of EASY_PAY, null otherwise. */
export interface Method {
  readonly method: PaymentMethod;
  readonly provider: Wallet | null;
}

const WALLET_LABELS: Readonly<Record<Wallet, string>> = {
  KAKAOPAY: '카카오페이',
  NAVERPAY: '네이버페이',
  TOSSPAY: '토스페이',
  PAYCO: '페이코',
  SAMSUNGPAY: '삼성페이',
  APPLEPAY: '애플페이',
  LPAY: 'L.PAY',
  SSGPAY: 'SSG페이',
};
const METHOD_LABELS: Readonly<Record<PaymentMethod, string>> = {
  CARD: '신용·체크카드',
  EASY_PAY: '간편결제',
  BANK_TRANSFER: '계좌이체',
  VIRTUAL_ACCOUNT: '가상계좌',
  MOBILE: '휴대폰',
};
export const labelOf = ({ method, provider }: Method): string => (provider === null ? METHOD_LABELS[method] : WALLET_LABELS[provider]);

/** Why a provider is not routed; the first that holds (Y13). */
export const ROUTING_EXCLUSIONS = [
  'DISABLED',
  'NO_CREDENTIALS',
  'NOT_VERIFIED',
  'VERIFICATION_FAILED',
  'CREDENTIALS_REJECTED',
  'CIRCUIT_OPEN',
] as const;
export type RoutingExclusion = (typeof ROUTING_EXCLUSIONS)[number];

export const CREDENTIAL_STATUSES = ['UNVERIFIED', 'VERIFIED', 'FAILED'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** A provider in the store's current environment. */
export interface ProviderFacts {
  readonly provider: ProviderName;
  readonly enabled: boolean;
  readonly methods: readonly Method[];
  /** Of the newest credential set; null: there is none. */
  readonly newest: CredentialStatus | null;
  /** The newest verified set, with which payments are started. */
  readonly serving: { readonly credentialId: string; readonly isRejected: boolean } | null;
  /** Real time until which the circuit is open; null: it is closed. */
  readonly openUntil: number | null;
}
/** The facts of both providers, in priority order. `realNow`: circuits are on the real clock (Y17). */
export interface RoutingFacts {
  readonly routing: Routing;
  readonly environment: Environment;
  readonly providers: readonly ProviderFacts[];
  readonly realNow: number;
}

export function routingExclusion({ enabled, newest, serving, openUntil }: ProviderFacts, realNow: number): RoutingExclusion | null {
  if (!enabled) return 'DISABLED';
  if (newest === null) return 'NO_CREDENTIALS';
  if (!serving) return newest === 'FAILED' ? 'VERIFICATION_FAILED' : 'NOT_VERIFIED';
  if (serving.isRejected) return 'CREDENTIALS_REJECTED';
  return openUntil !== null && realNow < openUntil ? 'CIRCUIT_OPEN' : null;
}

/** A deposit into a virtual account can outlive the payment (D22). */
export const methodExclusion = ({ method }: Method): 'DEPOSIT_NOT_SUPPORTED' | null =>
  method === 'VIRTUAL_ACCOUNT' ? 'DEPOSIT_NOT_SUPPORTED' : null;

export interface Candidate extends Method {
  readonly pg: ProviderName;
  readonly label: string;
  /** From 1. */
  readonly position: number;
}
/** The methods of all routed providers, by priority, then in the order of the methods (Y14). */
export const candidatesOf = ({ providers, realNow }: RoutingFacts): readonly Candidate[] =>
  providers
    .filter((facts) => routingExclusion(facts, realNow) === null)
    .flatMap(({ provider: pg, methods }) => methods.filter((one) => methodExclusion(one) === null).map((one) => ({ pg, ...one })))
    .map((one, i) => ({ ...one, label: labelOf(one), position: i + 1 }));

const isSame = (a: Method, b: Method): boolean => a.method === b.method && a.provider === b.provider;

/** What a checkout offers: all candidates, or with AUTO_FAILOVER the first of each method and wallet. */
export function paymentOptions(facts: RoutingFacts): readonly Candidate[] {
  const all = candidatesOf(facts);
  if (facts.routing === 'PRIORITY_DISPLAY') return all;
  return all.filter((one, i) => all.findIndex((other) => isSame(one, other)) === i);
}

export interface Option extends Method {
  readonly pg: ProviderName;
}
export type Choice =
  | { readonly option: Option; readonly credentialId: string }
  | { readonly refusal: 'PAYMENT_NOT_CONFIGURED' }
  /** `retryAfterMs`: until the circuit is tried again. */
  | { readonly refusal: 'PAYMENT_PROVIDER_UNAVAILABLE'; readonly retryAfterMs: number };

/** The provider that takes a new attempt of the requested option. `tried`: providers that may not be taken again (Y16). */
export function chooseOption(facts: RoutingFacts, requested: Option, tried: readonly ProviderName[] = []): Choice {
  const { providers, realNow, routing } = facts;
  const own = providers.find(({ provider }) => provider === requested.pg);
  const isOn = own?.methods.some((one) => isSame(one, requested)) === true && methodExclusion(requested) === null;
  if (!own || !isOn) return { refusal: 'PAYMENT_NOT_CONFIGURED' };
  const exclusion = routingExclusion(own, realNow);
  const isTried = tried.includes(own.provider);
  if (exclusion === null && !isTried) return { option: requested, credentialId: own.serving!.credentialId };
  if (routing === 'AUTO_FAILOVER' && own.newest !== null) {
    const other = candidatesOf(facts).find((one) => isSame(one, requested) && one.pg !== own.provider && !tried.includes(one.pg));
    if (other) {
      const { serving } = providers.find(({ provider }) => provider === other.pg)!;
      return { option: { pg: other.pg, method: other.method, provider: other.provider }, credentialId: serving!.credentialId };
    }
  }
  if (exclusion === 'CIRCUIT_OPEN') return { refusal: 'PAYMENT_PROVIDER_UNAVAILABLE', retryAfterMs: Math.max(0, own.openUntil! - realNow) };
  return { refusal: 'PAYMENT_NOT_CONFIGURED' };
}

/** A circuit that may be tried again: its provider is read before a payment is started with it. */
export const isCircuitDue = ({ openUntil }: Pick<ProviderFacts, 'openUntil'>, realNow: number): boolean =>
  openUntil !== null && realNow >= openUntil;

export const CIRCUIT = { failures: 5, withinMs: 60_000, openMs: 60_000 } as const;
/** The circuit after another technical failure: the failures of the last minute, and until when it is open. */
export function afterFailure(
  failedAt: readonly number[],
  realNow: number,
): { readonly failedAt: number[]; readonly openUntil: number | null } {
  const recent = [...failedAt.filter((at) => at > realNow - CIRCUIT.withinMs), realNow];
  return recent.length >= CIRCUIT.failures ? { failedAt: [], openUntil: realNow + CIRCUIT.openMs } : { failedAt: recent, openUntil: null };
}
