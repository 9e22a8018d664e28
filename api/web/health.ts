import { sqlOn } from '../../db/kernel/sql.ts';
import { Router } from '@koa/router';
import { readiness } from '../../db/kernel/readiness.ts';
import type { ApiDeps } from '../declare/deps.ts';

/** Whoever asks how often: Postgres and Temporal are asked once in so many milliseconds. */
const FRESH_MS = 500;

/** `/health/live`: the process responds. `/health/ready`: Postgres and Temporal respond within two seconds, and it is not shutting down. */
export function healthRoutes({ orm, temporal, stopping }: ApiDeps): Router {
  const router = new Router({ sensitive: true });
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  const probe = () =>
    readiness({
      postgres: () => sqlOn(orm)`SELECT 1 AS ok`,
      temporal: () => temporal.withDeadline(Date.now() + 2000, () => temporal.workflowService.getSystemInfo({})),
      isStopping: stopping.aborted,
    });
  let last: { readonly at: number; readonly found: ReturnType<typeof probe> } | null = null;
  router.get('/health/ready', async (ctx) => {
    const at = performance.now();
    if (!last || stopping.aborted || at - last.at > FRESH_MS) last = { at, found: probe() };
    const { isReady, body } = await last.found;
    ctx.status = isReady ? 200 : 503;
    ctx.body = body;
  });
  return router;
}
