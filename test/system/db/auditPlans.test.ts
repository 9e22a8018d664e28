/**
 * Every filter of the audit log is served by an index of both its tables, among stores that each have much: by the plan of the very query.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { type AuditFilter, listAudit } from '../../../db/audit/queries.ts';
import { newId } from '../../../db/kernel/clock.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { indexesOf, scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set(['audit_request', 'audit_domain']);
const RECORDS = 4000;
const NOW = Date.now();
let orm: MikroORM;
let storeId: string;

beforeAll(async () => {
  const url = await migratedDatabase('auditplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query('SET session_replication_role = replica');
  for (let s = 0; s < 4; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: true, withProduct: false }));
    const shared = `$1, $2 || n, to_timestamp(${NOW / 1000}) - n * interval '1 minute',
      (ARRAY['USER', 'AGENT', 'APP'])[1 + (n % 50 = 0)::int + (n % 100 = 0)::int], 'usr_' || n % 200, 'n'`;
    const target = `(ARRAY['PRODUCT', 'ORDER'])[1 + (n % 60 = 0)::int], 'prd_' || n % 300`;
    await owner.query(
      `INSERT INTO audit_request SELECT ${shared}, 'a.b' || n % 80, ${target},
         (ARRAY['SUCCEEDED', 'FAILED', 'DENIED'])[1 + (n % 40 = 0)::int + (n % 80 = 0)::int], 200, NULL, 'req_' || n, NULL, NULL,
         CASE WHEN n % 100 = 0 THEN 'apr_' || n END, '{}' FROM generate_series(1, ${RECORDS}) n`,
      [storeId, newId('aud', NOW)],
    );
    await owner.query(
      `INSERT INTO audit_domain (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
         request_id, approval_id, transaction_id, metadata)
       SELECT ${shared}, 'MEMBER_' || n % 80, ${target}, CASE WHEN n % 10 > 0 THEN 'req_' || n END,
         CASE WHEN n % 100 = 0 THEN 'apr_' || n END, 1, '{}' FROM generate_series(1, ${RECORDS}) n`,
      [storeId, newId('aud', NOW)],
    );
  }
  await owner.query('ANALYZE');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

/** Each filter, and the columns of which one has to be in the name of every index that is scanned. */
const FILTERS: Readonly<Record<string, readonly [filter: Partial<AuditFilter>, columns: string]>> = {
  'without a filter': [{}, 'newest|store_id_created_at'],
  'behind a record': [{ after: { at: NOW - 60_000, id: 'aud_x' } }, 'newest|store_id_created_at'],
  'by source': [{ source: 'DOMAIN' }, 'audit_domain_newest'],
  'by type of actor': [{ actorTypes: ['APP'] }, 'actor_type'],
  'by types of actors': [{ actorTypes: ['APP', 'AGENT'] }, 'actor_type'],
  'by actor': [{ actorId: 'usr_7' }, 'actor_id'],
  'by action': [{ action: 'a.b7' }, 'action'],
  'by type of target': [{ targetType: 'ORDER' }, 'target_type'],
  'by target': [{ targetId: 'prd_7' }, 'target_id'],
  'by outcome': [{ outcomes: ['DENIED'] }, 'outcome'],
  'by outcomes and types of actors': [{ outcomes: ['DENIED', 'FAILED'], actorTypes: ['APP', 'AGENT'] }, 'outcome|actor_type'],
  'by request': [{ requestId: 'req_7' }, 'request_id'],
  'by approval': [{ approvalId: 'apr_100' }, 'approval_id'],
  'by period': [{ from: NOW - 3_600_000, to: NOW - 60_000 }, 'newest|store_id_created_at'],
};
test.each(Object.entries(FILTERS))('%s', async (_, [filter, columns]) => {
  const work = (tx: Tx) => listAudit(tx, { after: null, limit: 51, ...filter });
  expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]);
  const indexes = await indexesOf(orm, storeId, work);
  expect(indexes.length).toBeGreaterThan(0);
  expect(indexes.filter((index) => !new RegExp(columns).test(index))).toEqual([]);
});
