/** 404, 405 and `Allow` for requests that no route matches. */
import type { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { Fault } from '../../domain/kernel/errors.ts';
import { RouteIndex, segmentsOf } from './routeIndex.ts';

interface Address {
  readonly matches: (path: string) => boolean;
  /** `0` for a literal segment, `1` for a parameter: of two matching paths, the one with the earlier literal segment wins. */
  readonly rank: string;
  readonly methods: readonly string[];
}

/**
 * Refuses requests that no route matches, before any route runs: NOT_FOUND for an unknown path, METHOD_NOT_ALLOWED for another method, with
 * an `Allow` of the best matching path only. `values`: names of routes whose last segment is a value of the parameter that other routes
 * have there, and which take the methods of those too.
 */
export function addressed(routers: readonly Router[], values: ReadonlySet<string> = new Set()): Middleware {
  const index = new RouteIndex<Address>();
  for (const layer of routers.flatMap(({ stack }) => stack)) {
    if (layer.methods.length === 0) continue;
    const literals = segmentsOf(String(layer.path))
      .map((segment) => (segment.startsWith(':') ? '1' : '0'))
      .join('');
    const rank = values.has(layer.name ?? '') ? `${literals.slice(0, -1)}1` : literals;
    const address = { matches: (path: string) => layer.match(path), rank, methods: layer.methods };
    index.add(String(layer.path), address);
  }
  return async (ctx, next) => {
    const found = index.find(ctx.path).filter(({ matches }) => matches(ctx.path));
    if (found.length === 0) throw new Fault('NOT_FOUND');
    const meant = found.map(({ rank }) => rank).reduce((min, rank) => (rank < min ? rank : min));
    const methods = new Set(found.filter(({ rank }) => rank === meant).flatMap((address) => address.methods));
    if (!methods.has(ctx.method)) {
      ctx.set('Allow', [...methods].toSorted().join(', '));
      throw new Fault('METHOD_NOT_ALLOWED');
    }
    await next();
  };
}
