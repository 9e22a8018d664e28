/** The dry run of a change: the code that writes, in a transaction that is rolled back. */
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import type { Preview } from '../../domain/approvals/rules.ts';
import type { AgentDecision } from '../declare/agents.ts';
import { decide } from './decide.ts';
import { RunAgain, runAgain } from '../declare/runAgain.ts';
import { callOf, outgoingOf } from '../declare/call.ts';
import { rehearsedCommands } from './rehearsedCommands.ts';
import type { Request } from '../declare/request.ts';
import { compare, type Difference } from './compare.ts';
import { previewOf } from './preview.ts';

/** What a change would do and answer, and the decision about it. */
export interface Rehearsal {
  readonly decision: AgentDecision;
  readonly difference: Difference;
  readonly preview: Preview;
  /** What each of its commands did, by the entity of its run. */
  readonly effects: ReadonlyMap<string, string>;
}
/** Thrown at the end, so that nothing can commit. */
class RolledBack extends Error {}

/** The dry run of a request that has passed every check. Refusals are those of the real one; nothing outside of Postgres is done. */
export async function rehearse(request: Request): Promise<Rehearsal> {
  const { endpoint, deps, caller, input } = request;
  const call = callOf(request, outgoingOf(request), (_, instead) => Promise.resolve(instead));
  const prepared = await endpoint.prepare?.(call);
  const run = endpoint.run as (call: object) => Promise<unknown>;
  let rehearsal: Rehearsal | undefined;
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
    rehearsal = { decision, difference, preview: previewOf(request, { tx, difference, answer }), effects };
    throw new RolledBack();
  };
  for (let runs = 1; ; runs++)
    try {
      await inTenant(deps.orm, caller, REQUEST, work);
    } catch (error) {
      if (error instanceof RolledBack) return rehearsal!;
      if (!(error instanceof RunAgain)) throw error;
      await runAgain(error, runs);
    }
}
