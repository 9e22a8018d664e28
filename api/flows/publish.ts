import { factsDigest } from '../../db/flows/checkContext.ts';
import { checkedFacts, NotChecked, publishDraft, type Verdict } from '../../db/flows/commands.ts';
import { graphOf, versionsOf } from '../../db/flows/stored.ts';
import { RunAgain } from '../declare/runAgain.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Version, viewVersion } from './schemas.ts';
import { FLOW_PUBLISH } from './publishSubject.ts';
import { refuseDefault } from './subject.ts';
import { type Computing, whole } from './threads.ts';

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
})
  .before(async (call) => {
    const draft = { verdict: await verdictOf(call) };
    return { draft, checkAgain: async () => void (draft.verdict = await verdictOf(call)) };
  })
  .handle(async ({ tx, params, setHeader, prepared: { draft, checkAgain } }) => {
    const published = publishDraft(tx, params.flowId, draft.verdict);
    const { flow, version } = await published.catch((error: unknown) => {
      throw error instanceof NotChecked ? new RunAgain(checkAgain, 'TEMPORARILY_UNAVAILABLE') : error;
    });
    setHeader('Location', `/v1/commerce-flows/${flow.flowId}/versions/${version}`);
    const versions = (await versionsOf(tx, [flow])).get(flow.flowId)!;
    return { ...viewVersion(versions.find((one) => one.version === version)!), graph: await graphOf(tx, flow, version) };
  });

/** What a check says of the draft as it is now. Which draft that was is told with it. */
async function verdictOf(call: Computing & { readonly params: { readonly flowId: string } }): Promise<Verdict> {
  let digest = '';
  const checked = await whole(call, async (tx) => {
    const draft = await checkedFacts(tx, call.params.flowId);
    digest = factsDigest(draft);
    return { type: 'check', draft };
  });
  return { digest, checked };
}
