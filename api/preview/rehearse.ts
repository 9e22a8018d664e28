/** The dry run of a change: the code that writes, in a transaction that is rolled back (G10 … G17). */
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { digestOf } from '../../db/kernel/digest.ts';
import { comparedOf, isSamePreview, type Preview } from '../../domain/approvals/rules.ts';
import type { AgentDecision } from '../declare/agents.ts';
import { decide } from './decide.ts';
import { RunAgain, runAgain } from '../declare/runAgain.ts';
import { callOf, outgoingOf } from '../declare/call.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { rehearsedCommands } from './rehearsedCommands.ts';
import type { Request } from '../declare/request.ts';
import { sentRequest } from './sentRequest.ts';
import { STEP_LEVELS, stepFacts } from './stepFacts.ts';
import { compare, type Difference, NO_DIFFERENCE, plannedTarget } from './compare.ts';
import { isBulk } from '../declare/subject.ts';

/** What a change would do and answer, and the decision about it. */
export interface Judgement {
  readonly decision: AgentDecision;
  readonly difference: Difference;
  readonly preview: Preview;
  /** What each of its commands did, by the entity of its run. */
  readonly effects: ReadonlyMap<string, string>;
}
/** Thrown at the end, so that nothing can commit. */
class RolledBack extends Error {}

/** The dry run of a request that has passed every check. Refusals are those of the real one; nothing outside of Postgres is done. */
export async function rehearse(request: Request): Promise<Judgement> {
  const { endpoint, deps, caller, input } = request;
  const call = callOf(request, outgoingOf(request), (_, instead) => Promise.resolve(instead));
  const prepared = await endpoint.prepare?.(call);
  const run = endpoint.run as (call: object) => Promise<unknown>;
  let judgement: Judgement | undefined;
  const work = async (opened: Tx): Promise<never> => {
    const tx: Tx = { ...opened, isRehearsal: true, isCompared: true };
    // Nobody waits for what will never be: a dry run gives up where a change would wait, and ends soon.
    await tx.sql`SELECT set_config('transaction_timeout', '5000', true), set_config('lock_timeout', '500', true)`;
    const comparison = await compare(endpoint, tx, { caller, deps, ...input }, { locks: true });
    const { commands, effects } = rehearsedCommands(tx, request);
    const answer = await run({ ...call, prepared, tx, commands });
    await tx.em.flush();
    const difference = await comparison.against(answer);
    // What only a commit would find: last, because it takes the locks of lists and feeds.
    await tx.sql`SET CONSTRAINTS ALL IMMEDIATE`;
    const decision = await decide(endpoint, tx, caller, { changes: difference.all, body: input.body });
    judgement = { decision, difference, preview: previewOf(request, { tx, difference, answer }), effects };
    throw new RolledBack();
  };
  for (let runs = 1; ; runs++)
    try {
      await inTenant(deps.orm, caller, REQUEST, work);
    } catch (error) {
      if (error instanceof RolledBack) return judgement!;
      if (!(error instanceof RunAgain)) throw error;
      await runAgain(error, runs);
    }
}

/** The preview of a dry run: what would differ, and the amounts and counts that the real answer would tell. */
export function previewOf(request: Request, { tx, difference, answer }: Done): Preview {
  const { endpoint } = request;
  const names = isBulk(endpoint.target) ? ['results'] : (endpoint.facts ?? []);
  // Of a flow's step the answer tells no amounts: its transaction knows them.
  const known: Readonly<Record<string, unknown>> = { ...tx.returned, ...tx.facts, ...(answer as object | null) };
  const facts = Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name]]));
  const preview = {
    operationId: endpoint.id,
    target: plannedTarget(difference),
    changes: difference.changes,
    facts: { ...difference.context, ...uncut(difference, levelsOf(endpoint)), ...stepFacts(tx.steps), ...facts },
    request: sentRequest(request),
  };
  // As it is stored and sent.
  return JSON.parse(JSON.stringify(preview)) as Preview;
}
/** Where more fields change than are shown: how many, and a digest of all of them, so that none of them changes unseen (G51). */
const uncut = ({ changes, all }: Difference, levels: readonly string[]) =>
  all.length === changes.length ? {} : { changedFields: all.length, changesDigest: digestOf(comparedOf(all, levels)) };

interface Done {
  readonly tx: Tx;
  readonly difference: Difference;
  readonly answer: unknown;
}

/** The fields and facts of an operation's previews that are not compared. */
export const levelsOf = ({ target, levels = [] }: Endpoint): readonly string[] => {
  const listing = target && (isBulk(target) ? target.each.listing : target.listing);
  return [...levels, ...(listing?.levels ?? []), ...STEP_LEVELS];
};

/** What was approved is not what would be done; what would. */
export class Stale extends Error {
  readonly preview: Preview;
  constructor(preview: Preview) {
    super('not what was approved');
    this.preview = preview;
  }
}
/** Throws where a request that carries out what was approved does anything else (G51). */
export function checkApproved({ endpoint, execution }: Request, preview: Preview): void {
  if (execution && !isSamePreview(execution.approved, preview, levelsOf(endpoint))) throw new Stale(preview);
}

/** As a dry run answers it: its sender knows what was sent. */
export const answeredPreview = ({ operationId, target, changes, facts }: Preview): Preview => ({ operationId, target, changes, facts });
/** Of an operation that is always denied to agents, and therefore not run (G13). */
export const deniedPreview = ({ endpoint }: Request) => ({
  operationId: endpoint.id,
  target: NO_DIFFERENCE.target,
  changes: NO_DIFFERENCE.changes,
  facts: {},
});
