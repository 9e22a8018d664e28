/**
 * Backpressure: while deliveries to working receivers wait, workflows of failing receivers get (almost) no workflow tasks. Temporal's task
 * priorities cannot express this: they order tasks within one queue, and tasks of cached workflows come from a sticky queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomSlotSupplier, SlotPermit, SlotReserveContext, WorkflowSlotInfo } from '@temporalio/worker';
import type { WorkflowType } from '../workflows/kernel/messages.ts';

/** Whether more deliveries wait in the outbox than the relay may start. */
export class Pressure {
  isHigh = false;

  /** The workflow type whose lost runs are not woken meanwhile; empty without pressure. */
  get waits(): WorkflowType | '' {
    return this.isHigh ? 'webhookDelivery' : '';
  }
}

/** Concurrent workflow tasks of the yielding queue; for the normal queue, for the sticky one, and for first tasks, each. */
const SLOTS = 4;
const POLL_MS = 50;
/** Under pressure one slot is granted per this interval, so that no workflow starves. */
const TRICKLE_MS = 500;

type SlotContext = Pick<SlotReserveContext, 'isSticky'>;

/**
 * A slot supplier for workflow tasks that grants slots without pressure, and few under it. A poller occupies a slot while it waits, so that
 * the normal and the sticky queue are limited separately and neither starves the other. The first task of a run comes with the answer to
 * its start and has slots of its own, at the relay's pace: a first attempt does not wait in the queue behind the retries of others.
 */
export class YieldingSlots implements CustomSlotSupplier<WorkflowSlotInfo> {
  readonly type = 'custom';
  readonly #pressure: Pressure;
  readonly #used = { fresh: new Set<SlotPermit>(), sticky: new Set<SlotPermit>(), first: new Set<SlotPermit>() };
  #lastAt = 0;

  constructor(pressure: Pressure) {
    this.#pressure = pressure;
  }
  async reserveSlot(context: SlotContext, abort: AbortSignal): Promise<SlotPermit> {
    while (!abort.aborted) {
      const permit = this.grantPoller(context);
      if (permit) return permit;
      await sleep(POLL_MS);
    }
    return {};
  }
  /** Null while there is none. */
  grantPoller({ isSticky }: SlotContext): SlotPermit | null {
    const now = performance.now();
    const used = isSticky ? this.#used.sticky : this.#used.fresh;
    if (used.size >= SLOTS || (this.#pressure.isHigh && now - this.#lastAt < TRICKLE_MS)) return null;
    this.#lastAt = now;
    return grant(used);
  }
  /** For a task that comes without a poll: the first one of a run that this process starts. */
  tryReserveSlot(): SlotPermit | null {
    return this.#used.first.size >= SLOTS ? null : grant(this.#used.first);
  }
  markSlotUsed(): void {}
  releaseSlot({ permit }: { readonly permit: SlotPermit }): void {
    for (const used of Object.values(this.#used)) used.delete(permit);
  }
}

function grant(used: Set<SlotPermit>): SlotPermit {
  const permit = {};
  used.add(permit);
  return permit;
}
