/**
 * Finds the routes that a path may belong to without matching it against each of them: there are hundreds, and most requests have one
 * (docs/architecture.md#libraries).
 */
import { Router } from '@koa/router';

/** Prefixes that many routes share. */
const PREFIXES: ReadonlySet<string> = new Set(['v1', 'storefront']);
export const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** The number of segments, and the first one that is no prefix. */
function keyOf(path: string): string {
  const segments = segmentsOf(path);
  return `${segments.length}/${segments.find((segment) => !PREFIXES.has(segment)) ?? ''}`;
}

export class RouteIndex<T> {
  readonly #byKey = new Map<string, T[]>();

  /** `route`: with `:name` for parameters. Throws where its first segment is one, or where it has a wildcard: no path would find it. */
  add(route: string, item: T): void {
    const key = keyOf(route);
    if (/:/.test(key) || /[{}*()]/.test(route)) throw new Error(`${route} cannot be found by its first segment`);
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), item]);
  }

  /** In the order in which they were added. */
  find(path: string): readonly T[] {
    return this.#byKey.get(keyOf(path)) ?? [];
  }
}

type Layer = Router['stack'][number];
/** A router that matches a path against the routes of its index only; all its routes are registered one by one, none by `use`. */
export class IndexedRouter extends Router {
  #index: RouteIndex<Layer> | null = null;
  #size = 0;

  override match(path: string, method: string): ReturnType<Router['match']> {
    if (!this.#index || this.#size !== this.stack.length) this.#rebuild();
    const fitting = this.#index!.find(path).filter((layer) => layer.match(path));
    const pathAndMethod = fitting.filter(({ methods }) => methods.includes(method.toUpperCase()));
    return { path: [...fitting], pathAndMethod, route: pathAndMethod.length > 0 };
  }

  #rebuild(): void {
    this.#index = new RouteIndex();
    this.#size = this.stack.length;
    for (const layer of this.stack) this.#index.add(String(layer.path), layer);
  }
}
