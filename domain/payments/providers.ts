/** The payment providers, their environments and credential sets (docs/contract.md#payment-settings). */
export const PROVIDERS = ['tosspayments', 'portone'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** TEST: no money moves. A payment keeps the environment that it was started in. */
export const ENVIRONMENTS = ['TEST', 'LIVE'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** A credential set, opened. The secret halves are never answered, logged, audited or put into Temporal (Y6). */
export type Credentials = TossCredentials | PortoneCredentials;
export interface TossCredentials {
  readonly provider: 'tosspayments';
  readonly environment: Environment;
  readonly clientKey: string;
  readonly secretKey: string;
}
export interface PortoneCredentials {
  readonly provider: 'portone';
  readonly environment: Environment;
  /** The store at PortOne. */
  readonly storeId: string;
  readonly channelKey: string;
  readonly apiSecret: string;
  /** Null: its notifications are refused. */
  readonly webhookSecret: string | null;
}
