import { publishDraft } from '../../db/flows/commands.ts';
import { graphOf, versionsOf } from '../../db/flows/stored.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { Version, viewVersion } from './schemas.ts';
import { FLOW_PUBLISH } from './publishSubject.ts';
import { refuseDefault } from './subject.ts';

export const publish = endpoint({
  id: 'flows.publish',
  route: 'POST /v1/commerce-flows/{flowId}/draft/publish',
  summary: 'Make the draft a version that never changes; new orders take it',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'approval',
  target: FLOW_PUBLISH,
  facts: ['version', 'progression'],
  context: ({ draftDigest }) => ({ graphDigest: draftDigest }),
  change: 'here',
  first: refuseDefault,
  idempotent: true,
  status: 201,
  data: Version,
  errors: ['FLOW_NOT_FOUND', 'FLOW_DEFAULT_LOCKED', 'FLOW_UNCHANGED', 'PUBLISH_BLOCKED'],
}).handle(async ({ tx, params, setHeader }) => {
  const { flow, version } = await publishDraft(tx, params.flowId);
  setHeader('Location', `/v1/commerce-flows/${flow.flowId}/versions/${version}`);
  const versions = (await versionsOf(tx, [flow])).get(flow.flowId)!;
  return { ...viewVersion(versions.find((one) => one.version === version)!), graph: await graphOf(tx, flow, version) };
});
