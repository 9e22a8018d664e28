/** A request's transaction: the operation row first, the handler, the agent's policy, the reply, the audit record. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countAction, type Counting } from '../../db/aiActions/commands.ts';
import { renewPreview } from '../../db/approvals/commands.ts';
import { lockHolder } from '../../db/customers/locks.ts';
import { extendSession } from '../../db/identity/sessions.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import { isConflict, isLockTimeout } from '../../db/kernel/outage.ts';
import { announceCommit, inTenant, READ, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { completeOperation, reserveOperation } from '../../db/runs/operations.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { decide } from '../preview/decide.ts';
import { needsDecision } from '../declare/agents.ts';
import { recordIn } from './audit.ts';
import { RunAgain, runAgain } from '../declare/runAgain.ts';
import { isManaged, isWrite } from '../declare/endpoint.ts';
import { replyLocation, sealReply } from './idempotency.ts';
import type { Answer, Outgoing } from '../declare/answer.ts';
import { replayIn } from './replay.ts';
import { checkApproved, type Judgement, previewOf } from '../preview/rehearse.ts';
import type { Request } from '../declare/request.ts';
import { compare, type Difference, NO_DIFFERENCE } from '../preview/compare.ts';

const DUPLICATE_WAIT_MS = 5000;
/** So often a change whose transaction lost against another one, and is rolled back, runs once more. */
const MAX_CONFLICTS = 3;

/** Rolls back an agent's change that is not allowed as it is. */
export class NotAllowed extends Error {
  readonly judgement: Judgement;
  constructor(judgement: Judgement) {
    super('not allowed without an approval');
    this.judgement = judgement;
  }
}

/** How an agent's change is counted (G39, G40); null: not at all. */
export const countingOf = ({ endpoint, caller, execution }: Pick<Request, 'endpoint' | 'caller' | 'execution'>): Counting | null =>
  execution ? 'always' : caller.isAgent && isWrite(endpoint) ? (endpoint.aiActions ?? 'limited') : null;
/** A bulk in which nothing succeeded is no action. */
const didSomething = (body: unknown): boolean => (body as { readonly succeeded?: number } | null)?.succeeded !== 0;

/**
 * A concurrent duplicate waits for the first (D26). A deadlock is repeated: nothing has been answered, and what handlers do outside of their
 * transaction they do before it.
 */
export async function transact(request: Request, call: object, outgoing: Outgoing): Promise<Answer> {
  const { endpoint, deps, caller, operation, keyed } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const location = replyLocation(caller.storeId, operation.key);
  const secret = endpoint.secret === true;
  const limits = endpoint.change === 'none' ? READ : REQUEST;
  const reserves = keyed && endpoint.change === 'here';
  const end = deps.clock.now() + DUPLICATE_WAIT_MS;
  let runs = 0;
  let conflicts = 0;
  for (;;) {
    try {
      const answer = await inTenant(deps.orm, caller, limits, async (tx) => {
        // Before anything else, so that a withdrawal and a change of the same member come one after the other (U14).
        if (caller.customer && endpoint.change === 'here') await lockHolder(tx, caller.customer, endpoint.customerLock ?? 'KEY SHARE');
        const reservation = reserves ? await reserveOperation(tx, operation) : 'new';
        if (reservation !== 'new') return replayIn(tx, request, reservation);
        if (caller.staleSessionId !== null) await extendSession(tx, caller.staleSessionId);
        const { body, difference } = await compared(request, tx, (used) => run({ ...call, tx: used }));
        const reply = { status: outgoing.status, body, location: outgoing.headers['Location'] ?? null };
        if (reserves) await completeOperation(tx, operation, sealReply(reply, secret, deps.keyring, location));
        await tx.em.flush();
        const counting = countingOf(request);
        // All of its last statements are sent at once; Postgres carries them out in this order.
        await allOf([
          recordIn(tx, request, { outcome: 'SUCCEEDED', statusCode: reply.status, difference }),
          counting && didSomething(body) ? countAction(tx, counting) : undefined,
          // So that after a 503 the transaction is never committed later.
          endpoint.change === 'here' ? announceCommit(tx) : undefined,
        ]);
        if (request.execution && deps.clock.now() > request.execution.notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
        failpoint('request.before-commit', endpoint.id);
        return { status: reply.status, body, headers: outgoing.headers };
      });
      failpoint('request.after-commit', endpoint.id);
      return answer;
    } catch (error) {
      if (error instanceof RunAgain) {
        await runAgain(error, ++runs);
        continue;
      }
      if (isConflict(error) && ++conflicts <= MAX_CONFLICTS && deps.clock.now() <= end) {
        deps.log.info(
          { storeId: caller.storeId, operationId: endpoint.id, conflicts },
          'a transaction lost against another one and runs again',
        );
        await sleep(Math.random() * 50);
        continue;
      }
      if (!reserves || !isLockTimeout(error)) throw error;
      if (deps.clock.now() > end) throw new Fault('IDEMPOTENCY_IN_PROGRESS');
    }
  }
}

/** Waits for all, and fails with the first of them that failed: what comes after it in the transaction fails because of it. */
async function allOf(works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const ended = await Promise.allSettled(works.filter((work) => work !== undefined));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * What a change of the management API does, for its record. An agent's change that depends on its values is decided with the change, which is
 * rolled back unless it is allowed (G6).
 */
async function compared(
  request: Request,
  opened: Tx,
  work: (tx: Tx) => Promise<unknown>,
): Promise<{ readonly body: unknown; readonly difference: Difference }> {
  const { endpoint, deps, caller, input } = request;
  if (!isManaged(endpoint)) return { body: await work(opened), difference: NO_DIFFERENCE };
  // Again for what the first order with real money, or a public site, has made live meanwhile (G8).
  const isDecided = needsDecision(endpoint, caller);
  const isCompared = isDecided || request.execution !== undefined;
  const tx: Tx = { ...opened, isCompared };
  const comparison = await compare(endpoint, tx, { caller, deps, ...input }, { locks: isCompared });
  const body = await work(tx);
  const difference = await comparison.against(body);
  if (request.execution) await checkWork(request, tx, { difference, answer: body });
  if (isDecided) {
    const decision = await decide(endpoint, tx, caller, { changes: difference.all, body: input.body });
    const preview = previewOf(request, { tx, difference, answer: body });
    if (decision.decision !== 'ALLOW') throw new NotAllowed({ decision, difference, preview, effects: new Map() });
  }
  return { body, difference };
}

/** In the transaction of the change: what was approved is what is committed, and the request shows its levels as they are now. */
async function checkWork(request: Request, tx: Tx, done: { readonly difference: Difference; readonly answer: unknown }): Promise<void> {
  const preview = previewOf(request, { tx, ...done });
  checkApproved(request, preview);
  await renewPreview(tx, request.execution!, preview);
}
