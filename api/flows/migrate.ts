import { migrateItems } from '../../db/orders/flows/migrate.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { Migration } from './schemas.ts';
import { FLOW_HEAD, refuseDefault } from './subject.ts';

const Limit = Type.Integer({ minimum: 1, maximum: 500, description: 'Items that one call moves, a group as a whole; 100 by default' });

export const migrate = endpoint({
  id: 'flows.migrate',
  route: 'POST /v1/commerce-flows/{flowId}/versions/{version}/migrate',
  summary: 'Move items in flight from this version to the newest; repeat until none remain',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'approval',
  target: FLOW_HEAD,
  facts: ['fromVersion', 'toVersion', 'migrated', 'skipped', 'remaining', 'itemsDigest'],
  levels: ['skipped', 'remaining'],
  change: 'here',
  first: refuseDefault,
  idempotent: true,
  body: closed({ limit: Type.Optional(Limit) }, { title: 'FlowMigrationRequest' }),
  data: Migration,
  errors: ['FLOW_NOT_FOUND', 'FLOW_DEFAULT_LOCKED', 'FLOW_VERSION_NOT_FOUND', 'FLOW_PROGRESSION_MISMATCH'],
}).handle(({ tx, params, body }) => migrateItems(tx, params.flowId, params.version, body.limit ?? 100));
