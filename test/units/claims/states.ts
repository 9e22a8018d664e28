/** Claims for tests: one of each type in each state, and one of each command. */
import { type ClaimCommand, type ClaimCommandName, type ClaimEffect, type ClaimState, decide } from '../../../domain/claims/machine.ts';
import type { ClaimStatus } from '../../../domain/claims/rules.ts';
import { DAY } from '../../../domain/kernel/time.ts';

export const T = Date.UTC(2026, 10, 20);
export const UNTIL = T + DAY;
/** One of each, as it comes about; a held one is held until `UNTIL`. */
export type Kind = 'CANCEL' | 'RETURN' | 'EXCHANGE' | 'UNSHIPPED_RETURN';
export function stateOf(kind: Kind, status: ClaimStatus, changes: Partial<ClaimState> = {}): ClaimState {
  const isBack = ['COLLECTED', 'REDELIVERING'].includes(status) && kind !== 'UNSHIPPED_RETURN';
  return {
    type: kind === 'UNSHIPPED_RETURN' ? 'RETURN' : kind,
    status,
    quantity: 3,
    isShipped: kind !== 'UNSHIPPED_RETURN',
    isHoldUsed: status === 'HELD',
    holdUntil: status === 'HELD' ? UNTIL : null,
    restockedQuantity: isBack ? 3 : 0,
    exchangeOptionId: kind === 'EXCHANGE' ? 'var_wanted' : null,
    flowFeeWon: 0,
    ...changes,
  };
}
export const commandOf = (name: ClaimCommandName, seen: ClaimStatus): ClaimCommand => {
  const commands: { readonly [Name in ClaimCommandName]: Extract<ClaimCommand, { name: Name }> } = {
    approve: { name: 'approve', input: { seen } },
    reject: { name: 'reject', input: { reason: 'OTHER' } },
    collect: { name: 'collect', input: { method: 'BUYER_SEND' } },
    completeCollection: { name: 'completeCollection', input: {} },
    redeliver: { name: 'redeliver', input: { carrierCode: 'CJ' } },
    completeExchange: { name: 'completeExchange', input: {} },
    hold: { name: 'hold', input: { until: UNTIL } },
    release: { name: 'release', input: {} },
    withdraw: { name: 'withdraw', input: {} },
  };
  return commands[name];
};
export const NAMES = [
  'approve',
  'reject',
  'collect',
  'completeCollection',
  'redeliver',
  'completeExchange',
  'hold',
  'release',
  'withdraw',
] as const satisfies readonly ClaimCommandName[];
const commanded = (command: ClaimCommand) => ({ type: 'command', command }) as const;
export const ran = (state: ClaimState, command: ClaimCommand, at = T) => decide(state, commanded(command), at);

export const by = (name: ClaimCommandName, who: 'BUYER' | 'SELLER' | 'SYSTEM' = 'SELLER', at = T): ClaimEffect => ({
  type: 'history',
  name,
  by: who,
  at,
});
export const restock = (soundQuantity: number, damagedQuantity = 0, missingQuantity = 0): ClaimEffect => ({
  type: 'restock',
  soundQuantity,
  damagedQuantity,
  missingQuantity,
});

export const refund: ClaimEffect = { type: 'refund', deductWon: 0, isHeld: false };
export const KINDS = ['CANCEL', 'RETURN', 'EXCHANGE', 'UNSHIPPED_RETURN'] as const satisfies readonly Kind[];
