import { findFlow, versionsOf } from '../../db/flows/stored.ts';
import { offset } from '../../db/kernel/page.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, Type, wholePaging } from '../declare/schema.ts';
import { VersionHead, viewVersion } from './schemas.ts';

export const listVersions = endpoint({
  id: 'flows.listVersions',
  route: 'GET /v1/commerce-flows/{flowId}/versions',
  summary: 'List the published versions, newest first, with their orders in progress',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  query: Type.Object(wholePaging),
  data: listOf(VersionHead),
  errors: ['FLOW_NOT_FOUND'],
}).handle(async ({ tx, params, query }) => {
  const flow = await findFlow(tx, params.flowId);
  const versions = (await versionsOf(tx, [flow], offset(query))).get(flow.flowId) ?? [];
  return page(query, versions.map(viewVersion), flow.latestVersion);
});
