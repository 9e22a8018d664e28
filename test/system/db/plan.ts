/** The plans of the very queries that a piece of work asks, as the app role sees them through row security. */
import { expect } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { tenancy } from '../../kernel/tenancy.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

/** Runs the work and answers every read of a large table that no index served. */
export async function scansOf(
  orm: MikroORM,
  storeId: string,
  large: ReadonlySet<string>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<string[]> {
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
  const found: string[] = [];
  for (const [query, params] of seen.filter(([text]) => /^\s*(select|with|update|delete)/i.test(text)))
    await inTenant(orm, tenancy(storeId), REQUEST, async ({ em }) => {
      const [row] = await em.execute<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(`EXPLAIN (FORMAT JSON) ${query}`, [...params], 'all');
      for (const node of nodes(row!['QUERY PLAN'][0]!.Plan))
        if (node['Node Type'] === 'Seq Scan' && large.has((node['Relation Name'] ?? '').replace(/_first$/, '')))
          found.push(`${node['Relation Name']!}: ${query.slice(0, 300)}`);
    });
  return found;
}
