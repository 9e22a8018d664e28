/** What a webhook request says besides its body (docs/contract.md#webhooks). */
import { createHmac } from 'node:crypto';
import { signatureHeader, signedText } from '../../domain/webhooks/signature.ts';

export interface Signed {
  readonly secrets: readonly string[];
  readonly body: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly deliveryId: string;
}

/** The headers; `v1` covers the very bytes that are sent, once per secret, with the present second of the real clock. */
export function webhookHeaders({ secrets, body, eventId, eventType, deliveryId }: Signed, seconds: number): Record<string, string> {
  const values = secrets.map((secret) => createHmac('sha256', secret).update(signedText(seconds, body)).digest('hex'));
  return {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1.0',
    'svc-signature': signatureHeader(seconds, values),
    'svc-event-id': eventId,
    'svc-event-type': eventType,
    'svc-delivery-id': deliveryId,
  };
}
