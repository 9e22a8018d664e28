/** Payment providers behind one port: the protocol follows from the credentials (docs/contract.md#payment-settings). */
import type { ProviderAnswer, ProviderCharge, ProviderRefund, Verification } from './answers.ts';

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
