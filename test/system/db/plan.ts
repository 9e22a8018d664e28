/** The plans of the very queries that a piece of work asks, as the app role sees them through row security. */
import { expect } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { tenancy } from '../../kernel/tenancy.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

interface Explained {
  readonly query: string;
  readonly nodes: readonly Plan[];
}

/** Runs the work and answers every read of a large table that no index served. */
export async function scansOf(
  orm: MikroORM,
  storeId: string,
  large: ReadonlySet<string>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
  return (await plansOf(orm, storeId, work)).flatMap(({ query, nodes: found }) =>
    found
      .filter((node) => node['Node Type'] === 'Seq Scan' && large.has((node['Relation Name'] ?? '').replace(/_first$/, '')))
      .map((node) => `${node['Relation Name']!}: ${query.slice(0, 300)}`),
  );
}

/** Runs the work and answers the names of the indexes that its plans scan. */
export const indexesOf = async (orm: MikroORM, storeId: string, work: (tx: Tx) => Promise<unknown>): Promise<string[]> =>
  (await plansOf(orm, storeId, work)).flatMap(({ nodes: found }) => found.flatMap((node) => node['Index Name'] ?? []));

async function plansOf(orm: MikroORM, storeId: string, work: (tx: Tx) => Promise<unknown>): Promise<Explained[]> {
  const seen: (readonly [string, readonly unknown[]])[] = [];
  await inTenant(orm, tenancy(storeId), REQUEST, async (tx) => {
    const connection = tx.em.getConnection();
    const execute = connection.execute.bind(connection);
    const spy = ((query: unknown, params: readonly unknown[] = [], ...rest: never[]) => {
      if (typeof query === 'string') seen.push([query, params]);
      return (execute as (...args: unknown[]) => Promise<unknown>)(query, params, ...rest);
    }) as unknown as typeof connection.execute;
    Object.assign(connection, { execute: spy });
    try {
      await work(tx).catch(() => null);
    } finally {
      Object.assign(connection, { execute });
    }
  });
  expect(seen.length).toBeGreaterThan(0);
  const found: Explained[] = [];
  for (const [query, params] of seen.filter(([text]) => /^\s*(select|with|update|delete)/i.test(text)))
    await inTenant(orm, tenancy(storeId), REQUEST, async ({ em }) => {
      const [row] = await em.execute<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(`EXPLAIN (FORMAT JSON) ${query}`, [...params], 'all');
      found.push({ query, nodes: nodes(row!['QUERY PLAN'][0]!.Plan) });
    });
  return found;
}
