/** An approval request's transition: loads under lock, decides, records the decision, writes. */
import { LockMode } from '@mikro-orm/core';
import { type ApprovalEffect, decide, type Times } from '../../domain/approvals/machine.ts';
import type { RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { consumeText } from '../runs/text.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { readStore } from '../stores/queries.ts';
import { type ApprovalRequest, ApprovalRequestEntity } from './entities.ts';
import { columnsOf, stateOf } from './rows.ts';
import { viewApproval } from './views.ts';

/** Null when there is no such request. Refusals are the machine's Faults. `consoleUrl`: where the links of its replies lead. */
export async function transitionApproval(
  tx: Tx,
  consoleUrl: string,
  { entityId: approvalId, clock: known = 0 }: RunRef,
  event: RunEvent<'approval'>,
): Promise<TransitionResult<'approval'> | null> {
  const { em, storeId, at } = tx;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const approval = await em.findOne(ApprovalRequestEntity, { storeId, approvalId }, { lockMode });
  if (!approval) return null;
  const before = { status: approval.status };
  const { clockOffsetMs: clock } = await readStore(tx);
  // A load has the store's own clock (db/runs/transition.ts); everything else happened by the one that its run knew.
  const times: Times = { at, real: at - (event.type === 'load' ? clock : known) };
  const { state, effects, plan } = decide(stateOf(approval, clock), event, times);
  for (const effect of effects) await carryOut(tx, approval, effect);
  Object.assign(approval, columnsOf(state));
  if (event.type !== 'command') return { plan, clock };
  const body = await viewApproval(tx, approval, { consoleUrl, keyring: null });
  return { plan, clock, reply: { status: 200, body }, views: { before, after: { status: state.status }, listing: {} } };
}

const UNDECIDED = { decision: null, decidedAt: null, decidedVia: null, decisionNote: null, approverUserId: null, approverScopes: null };

async function carryOut(tx: Tx, approval: ApprovalRequest, effect: ApprovalEffect): Promise<void> {
  if (effect.type === 'withdrawDecision') return void Object.assign(approval, UNDECIDED);
  const { decision, by } = effect;
  Object.assign(approval, {
    decision,
    decidedAt: new Date(tx.at),
    decidedVia: by.via,
    decisionNote: await consumeText(tx, by.noteId),
    approverUserId: by.userId,
    approverScopes: [...by.scopes],
  });
}
