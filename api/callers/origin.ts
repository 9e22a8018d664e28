import { BY_BUYER, type ChangeOrigin } from '../../db/kernel/tx.ts';
import type { Caller } from '../declare/caller.ts';
import { idOf, type Incoming } from '../declare/incoming.ts';

/** The origin of a request's changes, as the audit log tells it. */
export function originOf({ actor }: Pick<Caller, 'actor'>, requestId: string, params: Incoming['params'] = {}): ChangeOrigin {
  if (!actor) return BY_BUYER;
  const { type, id, name, via, onBehalfOf } = actor;
  return {
    actor: { type, id, name },
    requestId,
    // Of a decision.
    approvalId: idOf(params['approvalId']),
    metadata: { ...(via && { via }), ...(onBehalfOf !== null && { onBehalfOf }) },
  };
}
