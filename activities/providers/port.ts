/** Payment providers behind one port: the protocol follows from the credentials (docs/contract.md#payment-settings). */
import type { Credentials } from '../../domain/payments/providers.ts';
import type { ProviderAnswer, ProviderCharge, ProviderRefund, Verification } from './answers.ts';
import { createPortone } from './portone.ts';
import { createToss } from './toss.ts';

export interface PaymentProvider {
  /** Requests the approval, under an idempotency key per attempt. `limit`: aborts it, before the adapter's own time. */
  confirm(charge: ProviderCharge, limit?: AbortSignal): Promise<ProviderAnswer>;
  /** Resolves an unknown outcome; changes nothing. */
  read(charge: ProviderCharge): Promise<ProviderAnswer>;
  /** Cancels the whole payment. Each request has its own key, because the provider replays a stored error. */
  void(charge: ProviderCharge, key: string): Promise<ProviderAnswer>;
  /** Cancels a part of it. */
  refund(charge: ProviderCharge, refund: ProviderRefund): Promise<ProviderAnswer>;
  /** Whether the payment's cancels contain the refund, which resolves an unknown outcome. */
  findRefund(charge: ProviderCharge, refund: ProviderRefund): Promise<ProviderAnswer>;
  /** Whether the provider accepts the credentials: reads a random order (Y8). UNAVAILABLE: no clear answer within the limit. */
  verify(limitMs: number): Promise<Verification>;
}

export interface ProvidersConfig {
  readonly toss: { readonly baseUrl: string };
  readonly portone: { readonly baseUrl: string };
}

export const createProviders = ({ toss, portone }: ProvidersConfig) => ({
  providerFor: (credentials: Credentials): PaymentProvider =>
    credentials.provider === 'tosspayments' ? createToss(toss.baseUrl, credentials) : createPortone(portone.baseUrl, credentials),
});
