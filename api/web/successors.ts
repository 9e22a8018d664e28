import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import type { Endpoint } from '../declare/endpoint.ts';

/** Every answer of a deprecated operation names its successor, also one before its turn, such as TOO_MANY_REQUESTS. */
export function nameSuccessors(endpoints: readonly Endpoint[], router: Router): Middleware {
  const successors = new Map<string, string>(
    endpoints.flatMap(({ id, successor }) => (successor === undefined ? [] : [[id, successor] as const])),
  );
  const layers = router.stack.filter(({ name }) => successors.has(name ?? ''));
  return async (ctx, next) => {
    const layer = layers.find((one) => one.methods.includes(ctx.method) && one.match(ctx.path));
    if (layer) ctx.set({ Deprecation: 'true', Link: `<${successors.get(String(layer.name))!}>; rel="successor-version"` });
    await next();
  };
}
