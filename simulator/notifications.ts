/** PortOne's notifications: Standard Webhooks, signed with the merchant's secret, sent at once to the `noticeUrls` of the payment. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviours } from './behaviours.ts';
import type { Happening, Listener } from './payments.ts';

const TYPES: Readonly<Record<Happening, string>> = {
  READY: 'Transaction.Ready',
  PAID: 'Transaction.Paid',
  FAILED: 'Transaction.Failed',
  CANCELED: 'Transaction.Cancelled',
  PARTIAL_CANCELED: 'Transaction.PartialCancelled',
};
const LATE_MS = 3000;
const TIMEOUT_MS = 10_000;

/** The bytes of a merchant's webhook secret; the secret itself is `whsec_` and their base64. */
const secretOf = (merchant: string): Buffer => createHash('sha256').update(merchant).digest();

/** Behaviours: not sent (`drop`), sent twice under one id (`twice`), three seconds late (`late`), with a wrong signature (`forged`). */
export const notifier =
  (behaviours: Behaviours): Listener =>
  (payment, happening, cancel) => {
    const { pg, merchant, orderId, noticeUrls } = payment;
    if (pg !== 'portone' || noticeUrls.length === 0) return;
    const behaviour = behaviours.take('notify', orderId, pg);
    if (behaviour === 'drop') return;
    const body = JSON.stringify({
      type: TYPES[happening],
      timestamp: new Date().toISOString(),
      data: {
        paymentId: orderId,
        storeId: payment.storeId,
        transactionId: payment.paymentKey,
        ...(cancel && { cancellationId: cancel.id }),
      },
    });
    const headers = signed(body, secretOf(behaviour === 'forged' ? `${merchant}?` : merchant));
    for (const url of noticeUrls)
      for (let n = 0; n < (behaviour === 'twice' ? 2 : 1); n++) void send(url, headers, body, behaviour === 'late' ? LATE_MS : 0);
  };

function signed(body: string, secret: Buffer): Record<string, string> {
  const [id, timestamp] = [`msg_${randomUUID()}`, String(Math.floor(Date.now() / 1000))];
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}`, 'content-type': 'application/json' };
}

/** Once: nobody waits for it, and what does not arrive is lost. */
async function send(url: string, headers: Record<string, string>, body: string, waitMs: number): Promise<void> {
  if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
  } catch (error) {
    process.stderr.write(`A notification was not delivered: ${String(error)}\n`);
  }
}
