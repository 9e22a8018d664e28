/** A local server in a provider's place: it records requests and gives the replies that it was handed, in their order. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProviderCharge, ProviderRefund } from '../../../../activities/providers/answers.ts';
import { createProviders } from '../../../../activities/providers/index.ts';
import type { PaymentProvider } from '../../../../activities/providers/port.ts';
import type { Credentials, ProviderName } from '../../../../domain/payments/providers.ts';

export interface Reply {
  readonly status: number;
  /** JSON, or text as it is; null: the connection breaks. */
  readonly body: unknown;
  readonly afterMs?: number;
}
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<'authorization' | 'content-type' | 'idempotency-key', string | null>>;
  readonly body: unknown;
}
const headersOf = (headers: IncomingHttpHeaders): Recorded['headers'] => ({
  authorization: headers.authorization ?? null,
  'content-type': headers['content-type'] ?? null,
  'idempotency-key': (headers['idempotency-key'] as string | undefined) ?? null,
});

export async function providerServer() {
  let replies: readonly Reply[] = [];
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const reply = replies[requests.length];
      requests.push({
        method: request.method!,
        path: request.url!.replace(/verify-[0-9a-f-]{36}/, 'verify-*'),
        headers: headersOf(request.headers),
        body: body === '' ? null : (JSON.parse(body) as unknown),
      });
      if (reply?.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.afterMs));
      if (!reply || reply.body === null) return response.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      return response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { providerFor } = createProviders({ toss: { baseUrl }, portone: { baseUrl } });
  return {
    providerFor,
    /** Makes a call; the requests that it sent, and its answer. */
    async exchange<T>(provider: ProviderName, given: readonly Reply[], call: (provider: PaymentProvider) => Promise<T>) {
      replies = given;
      requests.length = 0;
      const answer = await call(providerFor(CREDENTIALS[provider]));
      return { answer, requests: [...requests] };
    },
    close: () => server.close(),
  };
}

const CREDENTIALS: Readonly<Record<ProviderName, Credentials>> = {
  tosspayments: { provider: 'tosspayments', environment: 'TEST', clientKey: 'test_ck_docs1234', secretKey: 'test_sk_docs1234' },
  portone: {
    provider: 'portone',
    environment: 'TEST',
    storeId: 'store-4ff4af41-85e3-4559-8eb8-0d08a2c6ceec',
    channelKey: 'channel-key-e6c31df1',
    apiSecret: 'docs1234docs1234docs',
    webhookSecret: null,
  },
};
const ATTEMPT = {
  attemptId: 'att_06Nhb4n3Xq5kQw7yZ0AbCd',
  pgOrderId: '26112212345678-01',
  amount: 15_000,
  environment: 'TEST',
} as const;
export const CHARGES: Readonly<Record<ProviderName, ProviderCharge>> = {
  tosspayments: { ...ATTEMPT, paymentKey: 'tgen_20261122123456AbCd1', paymentToken: null },
  portone: { ...ATTEMPT, paymentKey: '0196b5d2-7a55-4d4e-a3b1-6f6c2f2b9a11', paymentToken: 'payment-token-1' },
};
const REFUND: ProviderRefund = { refundId: 'rfd_06Nhb4n3Xq5kQw7yZ0EfGh', amount: 5000, key: 'rfd_06Nhb4n3Xq5kQw7yZ0EfGh' };

export type CallName = keyof PaymentProvider;
export const makeCall =
  (name: CallName, charge: ProviderCharge) =>
  (provider: PaymentProvider): Promise<unknown> => {
    if (name === 'verify') return provider.verify(2000);
    if (name === 'void') return provider.void(charge, `voidPayment-${charge.attemptId}-2`);
    return name === 'refund' || name === 'findRefund' ? provider[name](charge, REFUND) : provider[name](charge);
  };
