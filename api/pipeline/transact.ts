/** A request's transaction: the row of its key, the handler, the agent's policy, the reply, and what hooks add (order.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { renewPreview } from '../../db/approvals/commands.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import { isConflict, isLockTimeout } from '../../db/kernel/outage.ts';
import { inTenant, READ, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { completeOperation, reserveOperation } from '../../db/runs/operations.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { decide } from '../preview/decide.ts';
import { needsDecision } from '../declare/agents.ts';
import { RunAgain, runAgain } from '../declare/runAgain.ts';
import { isManaged } from '../declare/endpoint.ts';
import { replyLocation, sealReply } from './idempotency.ts';
import type { Answer, Outgoing } from '../declare/answer.ts';
import { replayIn } from './replay.ts';
import { checkApproved, previewOf } from '../preview/preview.ts';
import type { Rehearsal } from '../preview/rehearse.ts';
import type { Request } from '../declare/request.ts';
import { compare, type Difference, NO_DIFFERENCE } from '../preview/compare.ts';

const DUPLICATE_WAIT_MS = 5000;
/** So often a change whose transaction lost against another one, and is rolled back, runs once more. */
const MAX_CONFLICTS = 3;

/** Rolls back an agent's change that is not allowed as it is. */
export class NotAllowed extends Error {
  readonly rehearsal: Rehearsal;
  constructor(rehearsal: Rehearsal) {
    super('not allowed without an approval');
    this.rehearsal = rehearsal;
  }
}

/** What a transaction does before its handler. */
export type BeforeHandler = (tx: Tx, request: Request) => Promise<void>;
/** And after it. */
export type AfterHandler = (tx: Tx, request: Request, done: Done) => Promise<void>;
interface Done {
  readonly status: number;
  readonly body: unknown;
  readonly difference: Difference;
}
/** In their order (order.ts). Those that are `ending` begin at once; each may send a statement, and none waits for another one. */
export interface TransactionHooks {
  readonly opened: readonly BeforeHandler[];
  readonly begun: readonly BeforeHandler[];
  readonly ending: readonly AfterHandler[];
}
interface Transacting {
  readonly outgoing: Outgoing;
  readonly hooks: TransactionHooks;
}

/**
 * A concurrent duplicate waits for the first (D26). A deadlock is repeated: nothing has been answered, and what handlers do outside of
 * their transaction they do before it.
 */
export async function transact(request: Request, call: object, { outgoing, hooks }: Transacting): Promise<Answer> {
  const { endpoint, deps, caller, operation, keyed } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const location = replyLocation(caller.storeId, operation.key);
  const secret = endpoint.secret === true;
  const limits = { ...(endpoint.change === 'none' ? READ : REQUEST), gone: request.incoming.gone() };
  const reserves = keyed && endpoint.change === 'here';
  const end = deps.clock.now() + DUPLICATE_WAIT_MS;
  let runs = 0;
  let conflicts = 0;
  for (;;) {
    try {
      const answer = await inTenant(deps.orm, caller, limits, async (tx) => {
        for (const hook of hooks.opened) await hook(tx, request);
        const reservation = reserves ? await reserveOperation(tx, operation) : 'new';
        if (reservation !== 'new') return replayIn(tx, request, reservation);
        for (const hook of hooks.begun) await hook(tx, request);
        const { body, difference } = await compared(request, tx, (used) => run({ ...call, tx: used }));
        const reply = { status: outgoing.status, body, location: outgoing.headers['Location'] ?? null };
        if (reserves) await completeOperation(tx, operation, sealReply(reply, secret, deps.keyring, location));
        await tx.em.flush();
        const done = { status: reply.status, body, difference };
        await allOf(hooks.ending.map((hook) => hook(tx, request, done)));
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
async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(works);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * What a change of the management API does, for its record. An agent's change that depends on its values is decided with the change, which
 * is rolled back unless it is allowed.
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
