import { findFlow, versionsOf } from '../../db/flows/stored.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { VersionHead, viewVersion } from './schemas.ts';

export const listVersions = endpoint({
  id: 'flows.listVersions',
  route: 'GET /v1/commerce-flows/{flowId}/versions',
  summary: 'List the published versions, newest first, with their orders in progress',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: closed({ items: Type.Array(VersionHead) }),
  errors: ['FLOW_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  return { items: ((await versionsOf(tx, [flow])).get(flow.flowId) ?? []).map(viewVersion) };
});
