/** The payment provider that credentials belong to. */
import type { Credentials } from '../../domain/payments/providers.ts';
import type { PaymentProvider } from './port.ts';
import { createPortone } from './portone.ts';
import { createToss } from './toss.ts';

export interface ProvidersConfig {
  readonly toss: { readonly baseUrl: string };
  readonly portone: { readonly baseUrl: string };
}

export const createProviders = ({ toss, portone }: ProvidersConfig) => ({
  providerFor: (credentials: Credentials): PaymentProvider =>
    credentials.provider === 'tosspayments' ? createToss(toss.baseUrl, credentials) : createPortone(portone.baseUrl, credentials),
});
