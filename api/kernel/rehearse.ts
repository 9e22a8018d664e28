/** The dry run of a change: the code that writes, in a transaction that is rolled back (G10 … G17). */
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { type AgentDecision, decide } from './agents.ts';
import { RunAgain, runAgain } from './circuits.ts';
import { rehearsedCommands } from './rehearsedCommands.ts';
import type { Request } from './request.ts';
import { compare, type Difference, isBulk, NO_DIFFERENCE, plannedTarget } from './subject.ts';

/** What a change would do and answer, and the decision about it. */
export interface Judgement {
  readonly decision: AgentDecision;
  readonly difference: Difference;
  readonly answer: unknown;
}
/** Thrown at the end, so that nothing can commit. */
class RolledBack extends Error {}

/** Refusals are those of the real request. */
export async function rehearse(request: Request, call: object, prepared: unknown): Promise<Judgement> {
  const { endpoint, deps, caller, input } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  let judgement: Judgement | undefined;
  const work = async (opened: Tx): Promise<never> => {
    const tx: Tx = { ...opened, isRehearsal: true };
    // Nobody waits for what will never be: a dry run gives up where a change would wait, and ends soon.
    await tx.sql`SELECT set_config('transaction_timeout', '5000', true), set_config('lock_timeout', '500', true)`;
    const comparison = await compare(endpoint, tx, { caller, deps, ...input }, { locks: true });
    const commands = rehearsedCommands(tx, request);
    const answer = await run({ ...call, prepared, tx, commands });
    await tx.em.flush();
    const difference = await comparison.against(answer);
    // What only a commit would find: last, because it takes the locks of lists and feeds.
    await tx.sql`SET CONSTRAINTS ALL IMMEDIATE`;
    const decision = await decide(endpoint, tx, caller, { changes: difference.changes, body: input.body });
    judgement = { decision, difference, answer };
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
export function previewOf({ endpoint }: Request, difference: Difference, answer: unknown) {
  const names = isBulk(endpoint.target) ? ['results'] : (endpoint.facts ?? []);
  const answered = (answer ?? {}) as Readonly<Record<string, unknown>>;
  return {
    operationId: endpoint.id,
    target: plannedTarget(difference),
    changes: difference.changes,
    facts: Object.fromEntries(names.filter((name) => name in answered).map((name) => [name, answered[name]])),
  };
}

/** Of an operation that is always denied to agents, and therefore not run (G13). */
export const deniedPreview = ({ endpoint }: Request) => ({
  operationId: endpoint.id,
  target: NO_DIFFERENCE.target,
  changes: NO_DIFFERENCE.changes,
  facts: {},
});
