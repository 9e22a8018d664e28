import { LISTED_VERSIONS, listFlows, versionsOf } from '../../db/flows/stored.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { FlowSummary, viewSummary } from './schemas.ts';

export const list = endpoint({
  id: 'flows.list',
  route: 'GET /v1/commerce-flows',
  summary: 'List order flows: the two default ones, then the newest',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  query: Type.Object(paging),
  data: listOf(FlowSummary),
}).handle(async ({ tx, query }) => {
  const [flows, total] = await listFlows(tx, query);
  const versions = await versionsOf(tx, flows, LISTED_VERSIONS);
  return page(
    query,
    flows.map((flow) => viewSummary(flow, versions.get(flow.flowId))),
    total,
  );
});
