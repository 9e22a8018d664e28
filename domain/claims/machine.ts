/** A claim: requested by a buyer, handled by the seller (docs/contract.md#claims). Its states and who may do what in each are one table. */
import { Fault } from '../kernel/errors.ts';
import type { ContentOf, Decision } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import { type ClaimStatus, type ClaimType, type CollectionMethod, isOpen, type RejectReason } from './rules.ts';

/** The commands of a claim's run. It makes no calls: refunds are calls of the payment's run. Typed text is passed by its id. */
export interface ClaimMessages {
  readonly commands: {
    /** `seen`: the status that the sender saw. An approval that loses a race is refused with CONCURRENT_UPDATE (D47). */
    readonly approve: { readonly seen: ClaimStatus; readonly deductWon?: number; readonly holdRefund?: boolean };
    readonly reject: { readonly reason: RejectReason; readonly explanationId?: string };
    readonly collect: { readonly method: CollectionMethod; readonly carrierCode?: string; readonly trackingNumberId?: string };
    /** Absent quantities: all units are sound. */
    readonly completeCollection: {
      readonly soundQuantity?: number;
      readonly damagedQuantity?: number;
      readonly missingQuantity?: number;
      readonly inspectionId?: string;
    };
    /** Absent: the option that the claim names. */
    readonly redeliver: { readonly optionId?: string; readonly carrierCode: string; readonly trackingNumberId?: string };
    readonly completeExchange: object;
    /** Until a business time. */
    readonly hold: { readonly until: number; readonly reasonId?: string };
    readonly release: object;
    /** By the buyer. */
    readonly withdraw: object;
  };
  readonly calls: object;
}
export type ClaimCommand = ContentOf<ClaimMessages['commands']>;
export type ClaimCommandName = ClaimCommand['name'];

/** The fields of a claim that decisions depend on. Times are business milliseconds. */
export interface ClaimState {
  readonly type: ClaimType;
  readonly status: ClaimStatus;
  readonly quantity: number;
  /** Of an item that is not shipped nothing is collected. */
  readonly isShipped: boolean;
  readonly isHoldUsed: boolean;
  readonly holdUntil: number | null;
  /** Units that went back to stock so far. */
  readonly restockedQuantity: number;
  /** The option that the buyer wants, of an exchange. */
  readonly exchangeOptionId: string | null;
  /** What an approval deducts that does not say how much: the fee of its flow, fixed when it was filed. */
  readonly flowFeeWon: number;
}
export type ClaimEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'command'; readonly command: ClaimCommand }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: { readonly result: 'LOST' } };

/** What the transaction does besides, in this order. */
export type ClaimEffect =
  /** A line of the history. `at`: when it happened. */
  | { readonly type: 'history'; readonly name: ClaimCommandName; readonly by: 'BUYER' | 'SELLER' | 'SYSTEM'; readonly at: number }
  /** Collected units: the sound ones go back to stock, the others are movements of their own. */
  | { readonly type: 'restock'; readonly soundQuantity: number; readonly damagedQuantity: number; readonly missingQuantity: number }
  /** Takes what was restocked out again; what has been sold meanwhile is a shortfall. */
  | { readonly type: 'takeBack'; readonly quantity: number }
  /** Takes the stock of the option that is sent. OUT_OF_STOCK. */
  | { readonly type: 'takeExchange'; readonly optionId: string | null }
  /** The claim's units leave the item, with their refund. */
  | { readonly type: 'refund'; readonly deductWon: number; readonly isHeld: boolean }
  /** The claim's units leave the item, and the buyer has others for them. */
  | { readonly type: 'exchange' }
  /** The item goes on as if there had been no claim. */
  | { readonly type: 'resume' };

export type ClaimDecision = Decision<ClaimState, ClaimEffect, never>;

type Commands = Readonly<Partial<Record<ClaimCommandName, ClaimStatus>>>;
type Table = Readonly<Partial<Record<ClaimStatus, Commands>>>;
const REQUESTED = { reject: 'REJECTED', withdraw: 'WITHDRAWN', hold: 'HELD' } as const;
/** While it is held, it is handled as if it were not. */
const HELD = { reject: 'REJECTED', withdraw: 'WITHDRAWN', release: 'REQUESTED' } as const;
const collected = (next: Commands): Table => ({
  REQUESTED: { ...REQUESTED, collect: 'COLLECTING' },
  HELD: { ...HELD, collect: 'COLLECTING' },
  COLLECTING: { completeCollection: 'COLLECTED', reject: 'REJECTED' },
  COLLECTED: { ...next, reject: 'REJECTED' },
});
const atOnce: Table = {
  REQUESTED: { ...REQUESTED, approve: 'COMPLETED' },
  HELD: { ...HELD, approve: 'COMPLETED' },
};
/** The status after each command; a command that is not listed is refused. */
export const COMMANDS: Readonly<Record<ClaimType | 'UNSHIPPED_RETURN', Table>> = {
  CANCEL: atOnce,
  RETURN: collected({ approve: 'COMPLETED' }),
  UNSHIPPED_RETURN: atOnce,
  EXCHANGE: { ...collected({ redeliver: 'REDELIVERING' }), REDELIVERING: { completeExchange: 'COMPLETED' } },
};
const tableOf = ({ type, isShipped }: Pick<ClaimState, 'type' | 'isShipped'>): Table =>
  COMMANDS[type === 'RETURN' && !isShipped ? 'UNSHIPPED_RETURN' : type];

/**
 * The next state, effects and plan. `at`: business milliseconds. Refusals are Faults: INVALID_STATUS, ALREADY_HELD,
 * COLLECTION_NOT_REQUIRED, CONCURRENT_UPDATE.
 */
export function decide(current: ClaimState, event: ClaimEvent, at: number): ClaimDecision {
  const { state: released, effects: before } = release(current, at);
  const { state, effects } = event.type === 'command' ? carryOut(released, event.command, at) : { state: released, effects: [] };
  return { state, effects: [...before, ...effects], plan: planOf(state) };
}

/** The status after a command; Faults as `decide`. The API's early refusal calls it too. */
export function checkCommand(state: Pick<ClaimState, 'type' | 'status' | 'isShipped' | 'isHoldUsed'>, command: ClaimCommand): ClaimStatus {
  const { type, status, isShipped, isHoldUsed } = state;
  const next = tableOf(state)[status]?.[command.name];
  const isWaiting = status === 'REQUESTED' || status === 'HELD';
  if (command.name === 'hold' && isWaiting && isHoldUsed) throw new Fault('ALREADY_HELD');
  if (next) return next;
  if (command.name === 'collect' && isWaiting && type !== 'CANCEL' && !isShipped) throw new Fault('COLLECTION_NOT_REQUIRED');
  if (command.name === 'approve' && command.input.seen !== status) throw new Fault('CONCURRENT_UPDATE');
  throw new Fault('INVALID_STATUS', { details: { status } });
}

type Step = Omit<ClaimDecision, 'plan'>;

/** A hold ends by itself. */
function release(state: ClaimState, at: number): Step {
  const { status, holdUntil } = state;
  if (status !== 'HELD' || holdUntil === null || holdUntil > at) return { state, effects: [] };
  return {
    state: { ...state, status: 'REQUESTED', holdUntil: null },
    effects: [{ type: 'history', name: 'release', by: 'SYSTEM', at: holdUntil }],
  };
}

function carryOut(state: ClaimState, command: ClaimCommand, at: number): Step {
  const status = checkCommand(state, command);
  const by = command.name === 'withdraw' ? 'BUYER' : 'SELLER';
  const hold = command.name === 'hold' ? { isHoldUsed: true, holdUntil: command.input.until } : { holdUntil: null };
  const effects = effectsOf(state, command);
  const restocked = effects.find((effect) => effect.type === 'restock');
  return {
    state: { ...state, ...hold, status, ...(restocked && { restockedQuantity: restocked.soundQuantity }) },
    effects: [...effects, { type: 'history', name: command.name, by, at }],
  };
}

/** What each command does besides, the history aside. */
const EFFECTS: {
  readonly [N in ClaimCommandName]: (claim: ClaimState, input: ClaimMessages['commands'][N]) => readonly ClaimEffect[];
} = {
  approve: ({ type, isShipped, quantity, flowFeeWon }, { deductWon = flowFeeWon, holdRefund: isHeld = false }) => [
    // A return that was shipped is back in stock since it was collected (D18).
    ...(type === 'RETURN' && isShipped ? [] : [restockSound(quantity)]),
    { type: 'refund', deductWon, isHeld },
  ],
  reject: ({ restockedQuantity: quantity }) => [...(quantity > 0 ? [{ type: 'takeBack', quantity } as const] : []), { type: 'resume' }],
  collect: () => [],
  completeCollection: ({ quantity }, { soundQuantity, damagedQuantity = 0, missingQuantity = 0 }) =>
    soundQuantity === undefined ? [restockSound(quantity)] : [{ type: 'restock', soundQuantity, damagedQuantity, missingQuantity }],
  redeliver: ({ exchangeOptionId }, { optionId }) => [{ type: 'takeExchange', optionId: optionId ?? exchangeOptionId }],
  completeExchange: () => [{ type: 'exchange' }],
  hold: () => [],
  release: () => [],
  withdraw: () => [{ type: 'resume' }],
};
const effectsOf = (claim: ClaimState, { name, input }: ClaimCommand): readonly ClaimEffect[] => EFFECTS[name](claim, input as never);
const restockSound = (soundQuantity: number): ClaimEffect => ({ type: 'restock', soundQuantity, damagedQuantity: 0, missingQuantity: 0 });

/** What each open status waits for. */
const WAITS: Readonly<Record<Exclude<ClaimStatus, 'COMPLETED' | 'REJECTED' | 'WITHDRAWN'>, string>> = {
  REQUESTED: 'waits for the seller',
  HELD: 'the seller has put it off',
  COLLECTING: 'the goods are on their way back',
  COLLECTED: 'the goods are back; waits for the seller',
  REDELIVERING: 'others are on their way to the buyer; waits for the seller to complete it',
};

/** The end of a hold is the only timer. */
export function planOf({ type, status, quantity, holdUntil }: ClaimState): ClaimDecision['plan'] {
  const what = `${type} of ${quantity}`;
  if (!isOpen(status)) return { wakeAt: null, calls: [], done: true, note: `${what}: finished, ${status}.`, status };
  const wait = WAITS[status as keyof typeof WAITS];
  const until = holdUntil === null ? '' : ` until ${korean(holdUntil)}`;
  return { wakeAt: holdUntil, calls: [], done: false, note: `${what}: ${status}, ${wait}${until}.`, status };
}
