/** A claim's machine, without a database: each state with each command for each type, and what it does. */
import { describe, expect, test } from '@jest/globals';
import {
  checkCommand,
  type ClaimCommand,
  type ClaimCommandName,
  type ClaimEffect,
  type ClaimState,
} from '../../../domain/claims/machine.ts';
import { CLAIM_STATUSES, CLAIM_TYPES, type ClaimStatus } from '../../../domain/claims/rules.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { by, commandOf, type Kind, KINDS, NAMES, ran, refund, restock, stateOf, UNTIL } from './states.ts';

function resultOf(state: ClaimState, command: ClaimCommand): string {
  try {
    return ran(state, command).state.status;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** The contract's table of claim states, by hand: what is not written is INVALID_STATUS. */
const TABLE: Readonly<Record<Kind, string>> = {
  CANCEL: `
    REQUESTED  approve COMPLETED, reject REJECTED, hold HELD, withdraw WITHDRAWN
    HELD       approve COMPLETED, reject REJECTED, hold ALREADY_HELD, release REQUESTED, withdraw WITHDRAWN`,
  RETURN: `
    REQUESTED  collect COLLECTING, reject REJECTED, hold HELD, withdraw WITHDRAWN
    HELD       collect COLLECTING, reject REJECTED, hold ALREADY_HELD, release REQUESTED, withdraw WITHDRAWN
    COLLECTING completeCollection COLLECTED, reject REJECTED
    COLLECTED  approve COMPLETED, reject REJECTED`,
  EXCHANGE: `
    REQUESTED  collect COLLECTING, reject REJECTED, hold HELD, withdraw WITHDRAWN
    HELD       collect COLLECTING, reject REJECTED, hold ALREADY_HELD, release REQUESTED, withdraw WITHDRAWN
    COLLECTING completeCollection COLLECTED, reject REJECTED
    COLLECTED  redeliver REDELIVERING, reject REJECTED
    REDELIVERING completeExchange COMPLETED`,
  UNSHIPPED_RETURN: `
    REQUESTED  approve COMPLETED, collect COLLECTION_NOT_REQUIRED, reject REJECTED, hold HELD, withdraw WITHDRAWN
    HELD       approve COMPLETED, collect COLLECTION_NOT_REQUIRED, reject REJECTED, hold ALREADY_HELD, release REQUESTED, withdraw WITHDRAWN`,
};
function expectedOf(kind: Kind, status: ClaimStatus, name: ClaimCommandName): string {
  const row = TABLE[kind].split('\n').find((line) => line.trim().split(/\s+/)[0] === status) ?? '';
  const cells = row.replace(status, '').split(',');
  return cells.map((cell) => cell.trim().split(' ')).find(([command]) => command === name)?.[1] ?? 'INVALID_STATUS';
}

describe('each state with each command', () => {
  test.each(KINDS.flatMap((kind) => CLAIM_STATUSES.map((status) => [kind, status] as const)))('%s, %s', (kind, status) => {
    const results = NAMES.map((name) => [name, resultOf(stateOf(kind, status), commandOf(name, status))]);
    expect(results).toEqual(NAMES.map((name) => [name, expectedOf(kind, status, name)]));
  });
  test('the API’s early refusal is the machine’s', () => {
    for (const kind of KINDS)
      for (const status of CLAIM_STATUSES)
        for (const name of NAMES) {
          const state = stateOf(kind, status);
          const early = () => checkCommand(state, commandOf(name, status));
          const expected = expectedOf(kind, status, name);
          if ((CLAIM_STATUSES as readonly string[]).includes(expected)) expect(early()).toBe(expected);
          else expect(early).toThrow(expect.objectContaining({ code: expected }));
        }
  });
  test('a refusal tells the status', () => {
    expect(() => checkCommand(stateOf('RETURN', 'COLLECTING'), commandOf('approve', 'COLLECTING'))).toThrow(
      expect.objectContaining({ code: 'INVALID_STATUS', extra: { details: { status: 'COLLECTING' } } }),
    );
  });
});

describe('refusals, in their order', () => {
  test('a claim that was held and released is ALREADY_HELD, but INVALID_STATUS once it goes on', () => {
    const released = stateOf('RETURN', 'REQUESTED', { isHoldUsed: true });
    expect(resultOf(released, commandOf('hold', 'REQUESTED'))).toBe('ALREADY_HELD');
    expect(resultOf({ ...released, status: 'COLLECTING' }, commandOf('hold', 'COLLECTING'))).toBe('INVALID_STATUS');
  });
  test.each(KINDS)('an approval of a %s that lost a race is CONCURRENT_UPDATE; nothing else is', (kind) => {
    for (const status of CLAIM_STATUSES) {
      const seen = status === 'REQUESTED' ? 'HELD' : 'REQUESTED';
      const isPossible = expectedOf(kind, status, 'approve') === 'COMPLETED';
      expect(resultOf(stateOf(kind, status), commandOf('approve', seen))).toBe(isPossible ? 'COMPLETED' : 'CONCURRENT_UPDATE');
    }
  });
  test('nothing is collected of a cancel, shipped or not, nor once it is too late for it', () => {
    for (const isShipped of [true, false])
      expect(resultOf(stateOf('CANCEL', 'REQUESTED', { isShipped }), commandOf('collect', 'REQUESTED'))).toBe('INVALID_STATUS');
    expect(resultOf(stateOf('UNSHIPPED_RETURN', 'COMPLETED'), commandOf('collect', 'COMPLETED'))).toBe('INVALID_STATUS');
  });
});

const resume: ClaimEffect = { type: 'resume' };

describe('what a command does', () => {
  type Row = readonly [what: string, state: ClaimState, command: ClaimCommand, effects: readonly ClaimEffect[]];
  const inspected: ClaimCommand = {
    name: 'completeCollection',
    input: { soundQuantity: 1, damagedQuantity: 2, missingQuantity: 0, inspectionId: 'txt' },
  };
  test.each<Row>([
    ['a cancel: stock and money', stateOf('CANCEL', 'REQUESTED'), commandOf('approve', 'REQUESTED'), [restock(3), refund, by('approve')]],
    [
      'a return: the stock is back since it was collected',
      stateOf('RETURN', 'COLLECTED'),
      commandOf('approve', 'COLLECTED'),
      [refund, by('approve')],
    ],
    [
      'a return of what was not shipped: stock and money',
      stateOf('UNSHIPPED_RETURN', 'REQUESTED'),
      commandOf('approve', 'REQUESTED'),
      [restock(3), refund, by('approve')],
    ],
    [
      'an approval that deducts and holds the refund',
      stateOf('CANCEL', 'HELD'),
      { name: 'approve', input: { seen: 'HELD', deductWon: 700, holdRefund: true } },
      [restock(3), { type: 'refund', deductWon: 700, isHeld: true }, by('approve')],
    ],
    [
      'collected: all sound',
      stateOf('RETURN', 'COLLECTING'),
      commandOf('completeCollection', 'COLLECTING'),
      [restock(3), by('completeCollection')],
    ],
    ['collected and inspected', stateOf('EXCHANGE', 'COLLECTING'), inspected, [restock(1, 2), by('completeCollection')]],
    ['rejected before it was collected', stateOf('RETURN', 'COLLECTING'), commandOf('reject', 'COLLECTING'), [resume, by('reject')]],
    [
      'rejected afterwards: takes back what was restocked',
      stateOf('RETURN', 'COLLECTED', { restockedQuantity: 2 }),
      commandOf('reject', 'COLLECTED'),
      [{ type: 'takeBack', quantity: 2 }, resume, by('reject')],
    ],
    [
      'rejected when nothing was sound',
      stateOf('EXCHANGE', 'COLLECTED', { restockedQuantity: 0 }),
      commandOf('reject', 'COLLECTED'),
      [resume, by('reject')],
    ],
    [
      'others are sent: the option that the claim names',
      stateOf('EXCHANGE', 'COLLECTED'),
      commandOf('redeliver', 'COLLECTED'),
      [{ type: 'takeExchange', optionId: 'var_wanted' }, by('redeliver')],
    ],
    [
      'others are sent: another option',
      stateOf('EXCHANGE', 'COLLECTED'),
      { name: 'redeliver', input: { optionId: 'var_other', carrierCode: 'CJ' } },
      [{ type: 'takeExchange', optionId: 'var_other' }, by('redeliver')],
    ],
    [
      'an exchange is complete: no money, no stock',
      stateOf('EXCHANGE', 'REDELIVERING'),
      commandOf('completeExchange', 'REDELIVERING'),
      [{ type: 'exchange' }, by('completeExchange')],
    ],
    ['withdrawn, by the buyer', stateOf('RETURN', 'HELD'), commandOf('withdraw', 'HELD'), [resume, by('withdraw', 'BUYER')]],
    ['collect', stateOf('RETURN', 'HELD'), commandOf('collect', 'HELD'), [by('collect')]],
    ['hold', stateOf('RETURN', 'REQUESTED'), commandOf('hold', 'REQUESTED'), [by('hold')]],
    ['release', stateOf('RETURN', 'HELD'), commandOf('release', 'HELD'), [by('release')]],
  ])('%s', (_, state, command, effects) => {
    expect(ran(state, command).effects).toEqual(effects);
  });
  test('what is restocked is known afterwards: the sound units only', () => {
    expect(ran(stateOf('RETURN', 'COLLECTING'), inspected).state).toMatchObject({ status: 'COLLECTED', restockedQuantity: 1 });
    expect(ran(stateOf('RETURN', 'COLLECTING'), commandOf('completeCollection', 'COLLECTING')).state.restockedQuantity).toBe(3);
  });
  test('a hold is used up, whatever ends it', () => {
    const held = ran(stateOf('CANCEL', 'REQUESTED'), commandOf('hold', 'REQUESTED')).state;
    expect(held).toMatchObject({ status: 'HELD', isHoldUsed: true, holdUntil: UNTIL });
    for (const name of ['release', 'approve', 'reject', 'withdraw'] as const)
      expect(ran(held, commandOf(name, 'HELD')).state).toMatchObject({ isHoldUsed: true, holdUntil: null });
  });
});

test('every type is here', () => {
  expect(new Set(KINDS.map((kind) => stateOf(kind, 'REQUESTED').type))).toEqual(new Set(CLAIM_TYPES));
});
