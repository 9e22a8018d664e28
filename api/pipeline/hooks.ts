/** What the transaction of a request does beside its handler (order.ts). */
import { countAction } from '../../db/aiActions/commands.ts';
import { lockHolder } from '../../db/customers/locks.ts';
import { extendSession } from '../../db/identity/sessions.ts';
import { announceCommit } from '../../db/kernel/tx.ts';
import { recordIn } from './audit.ts';
import { countingOf } from './counting.ts';
import type { AfterHandler, BeforeHandler } from './transact.ts';

/** UNAUTHORIZED where the member has withdrawn, or their tokens have ended. */
export const lockMember: BeforeHandler = async (tx, { endpoint, caller }) => {
  if (caller.customer && endpoint.change === 'here') await lockHolder(tx, caller.customer, endpoint.customerLock ?? 'KEY SHARE');
};

export const extendGuestSession: BeforeHandler = async (tx, { caller }) => {
  if (caller.staleSessionId !== null) await extendSession(tx, caller.staleSessionId);
};

export const recordSuccess: AfterHandler = (tx, request, { status, difference }) =>
  recordIn(tx, request, { outcome: 'SUCCEEDED', statusCode: status, difference });

export const countAgentAction: AfterHandler = async (tx, request, { body }) => {
  const counting = countingOf(request);
  if (counting && didSomething(body)) await countAction(tx, counting);
};
/** A bulk in which nothing succeeded is no action. */
const didSomething = (body: unknown): boolean => (body as { readonly succeeded?: number } | null)?.succeeded !== 0;

/** So that after a 503 the transaction is never committed later. */
export const announceChange: AfterHandler = async (tx, { endpoint }) => {
  if (endpoint.change === 'here') await announceCommit(tx);
};
