import { findFlow, graphOf, versionNumber, versionsOf } from '../../db/flows/stored.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Version, viewVersion } from './schemas.ts';

export const getVersion = endpoint({
  id: 'flows.getVersion',
  route: 'GET /v1/commerce-flows/{flowId}/versions/{version}',
  summary: 'Read a version with its graph, in which the flows that it calls are pinned',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: Version,
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  const version = versionNumber(params.version);
  const graph = await graphOf(tx, flow, version);
  const versions = (await versionsOf(tx, [flow])).get(flow.flowId)!;
  return { ...viewVersion(versions.find((one) => one.version === version)!), graph: graph };
});
