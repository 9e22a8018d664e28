import { sqlOn } from '../../db/kernel/sql.ts';
import { Router } from '@koa/router';
import { readiness } from '../../db/kernel/readiness.ts';
import type { ApiDeps } from './deps.ts';

/** `/health/live`: the process responds. `/health/ready`: Postgres and Temporal respond within two seconds, and it is not shutting down. */
export function healthRoutes({ orm, temporal, stopping }: ApiDeps): Router {
  const router = new Router({ sensitive: true });
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const { isReady, body } = await readiness({
      postgres: () => sqlOn(orm)`SELECT 1 AS ok`,
      temporal: () => temporal.withDeadline(Date.now() + 2000, () => temporal.workflowService.getSystemInfo({})),
      isStopping: stopping.aborted,
    });
    ctx.status = isReady ? 200 : 503;
    ctx.body = body;
  });
  return router;
}
