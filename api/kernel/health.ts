import { Router } from '@koa/router';
import { readiness } from '../../db/kernel/readiness.ts';
import { sql } from '../../db/kernel/tx.ts';
import type { ApiDeps } from './deps.ts';

/** `/health/live`: the process answers. `/health/ready`: it reaches Postgres and Temporal, each within two seconds, and is not about to stop. */
export function healthRoutes({ orm, temporal, stopping }: ApiDeps): Router {
  const router = new Router();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const { isReady, body } = await readiness({
      postgres: () => sql(orm.em.fork(), 'SELECT 1 AS ok'),
      temporal: () => temporal.withDeadline(Date.now() + 2000, () => temporal.workflowService.getSystemInfo({})),
      isStopping: stopping.aborted,
    });
    ctx.status = isReady ? 200 : 503;
    ctx.body = body;
  });
  return router;
}
