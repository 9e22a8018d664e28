import { Router } from '@koa/router';
import { registry } from '../../db/kernel/metrics.ts';
import { sql } from '../../db/orm.ts';
import type { ApiDeps } from './deps.ts';

/** `/metrics` for Prometheus. `/health/live`: the process answers. `/health/ready`: it reaches Postgres and Temporal, each within two seconds. */
export function healthRoutes(deps: ApiDeps): Router {
  const router = new Router();
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const [postgres, temporal] = await Promise.allSettled([
      sql(deps.orm.em.fork(), 'SELECT 1 AS ok'),
      deps.temporal.withDeadline(Date.now() + 2000, () => deps.temporal.workflowService.getSystemInfo({})),
    ]);
    const state = (result: PromiseSettledResult<unknown>) => (result.status === 'fulfilled' ? 'ok' : 'unreachable');
    const ready = postgres.status === 'fulfilled' && temporal.status === 'fulfilled';
    ctx.status = ready ? 200 : 503;
    ctx.body = { status: ready ? 'ok' : 'unavailable', postgres: state(postgres), temporal: state(temporal) };
  });
  router.get('/metrics', async (ctx) => {
    ctx.type = registry.contentType;
    ctx.body = await registry.metrics();
  });
  return router;
}
