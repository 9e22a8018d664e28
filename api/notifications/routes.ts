/**
 * Payment providers' notifications, at an unguessable address per store and provider (Y27). They are hints: the payment's run reads the
 * provider again and believes only the reading.
 */
import { Router, type RouterContext } from '@koa/router';
import { Webhook } from 'standardwebhooks';
import { sqlOn } from '../../db/kernel/sql.ts';
import { inTenant, REQUEST, tenancyOf } from '../../db/kernel/tx.ts';
import { webhookSecrets } from '../../db/paymentSettings/credentials.ts';
import { findNotified } from '../../db/payments/notified.ts';
import { paymentRun, type Started } from '../../db/payments/queries.ts';
import { type TenantRow, tenantOf } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { hintOf, isNews } from '../../domain/payments/notifications.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import { parseJson, readBytes } from '../web/body.ts';
import { COMMAND_MS } from '../declare/commands.ts';
import { sendCommand } from '../pipeline/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { succeed } from '../web/envelope.ts';

export function notificationRoutes(deps: ApiDeps): Router {
  const router = new Router({ sensitive: true });
  router.post('/payment-notifications/:token', async (ctx) => {
    const store = await storeOf(deps, String(ctx.params['token']));
    const bytes = await readBytes(ctx);
    const tenancy = tenancyOf(store.storeId, store.clockOffsetMs, deps.clock.now());
    ctx.state['storeId'] = store.storeId;
    if (store.provider === 'portone') {
      const secrets = await inTenant(deps.orm, tenancy, REQUEST, (tx) => webhookSecrets(tx, deps.keyring));
      if (!isSigned(ctx, bytes, secrets)) throw new Fault('UNAUTHORIZED');
    }
    const hint = hintOf(store.provider, parseJson(bytes));
    const found = hint && (await inTenant(deps.orm, tenancy, REQUEST, (tx) => findNotified(tx, store.provider, hint.pgOrderId)));
    if (found && isNews(hint, progressOf(found))) {
      const { payment, attempt } = found;
      const requestId = String(ctx.state['requestId']);
      // A repeat is harmless: it is one more reading, and none while one is planned.
      await sendCommand(deps, paymentRun(payment), {
        name: 'notified',
        input: { attemptId: attempt.attemptId },
        operation: { principal: payment.paymentId, key: requestId, id: 'payments.notified', fingerprint: hint.about },
        requestId,
        actor: store.provider,
        clock: store.clockOffsetMs,
        notAfter: deps.clock.now() + COMMAND_MS,
      });
    }
    succeed(ctx, 200, null);
  });
  return router;
}

const progressOf = ({ payment: { call }, attempt: { attemptId, status } }: Started) => ({
  status,
  isConfirmed: status === 'CONFIRMING' && call?.name === 'confirmPayment' && call.attemptId === attemptId,
});

/** NOT_FOUND for an address that is nobody's. */
async function storeOf({ orm }: ApiDeps, token: string) {
  const [row] = /^[0-9a-f]{64}$/.test(token)
    ? await sqlOn(orm)<TenantRow & { readonly provider: ProviderName }>`SELECT * FROM lookup_notification(${token})`
    : [];
  if (!row) throw new Fault('NOT_FOUND');
  return { ...tenantOf(row), provider: row.provider };
}

/** Whether one of the store's secrets signed it within the last 5 minutes (Standard Webhooks). */
function isSigned(ctx: RouterContext, bytes: Buffer, secrets: readonly string[]): boolean {
  const headers = Object.fromEntries(['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, ctx.get(name)]));
  const text = bytes.toString('utf8');
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(text, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });
}
