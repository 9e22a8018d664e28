/**
 * Who may be late is late first: while deliveries wait that a receiver would answer, runs of receivers that fail get no task.
 * Temporal's priorities cannot say that: they order one queue, and what a run does at its timers comes from another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomSlotSupplier, SlotPermit, SlotReserveContext, WorkflowSlotInfo } from '@temporalio/worker';
import type { WorkflowType } from '../workflows/kernel/messages.ts';

/** Whether more deliveries wait than may be started. */
export class Pressure {
  isHigh = false;

  /** The workflow type whose lost runs wait meanwhile; empty without pressure. */
  get waits(): WorkflowType | '' {
    return this.isHigh ? 'webhookDelivery' : '';
  }
}

/** Tasks at a time of those who may be late; those of new runs and those of runs in memory, each. */
const SLOTS = 4;
const LOOK_MS = 50;
/** Nobody waits for ever: under pressure one task goes through in this time. */
const TRICKLE_MS = 500;

type Ask = Pick<SlotReserveContext, 'isSticky'>;

/**
 * Slots for workflow tasks that are given out only without pressure, or one now and then. Whoever only waits for a task holds a
 * slot too: tasks of new runs and of runs in memory are waited for apart, and neither takes the other's.
 */
export class YieldingSlots implements CustomSlotSupplier<WorkflowSlotInfo> {
  readonly type = 'custom';
  readonly #pressure: Pressure;
  readonly #used = { fresh: new Set<SlotPermit>(), sticky: new Set<SlotPermit>() };
  #lastAt = 0;

  constructor(pressure: Pressure) {
    this.#pressure = pressure;
  }
  async reserveSlot(ask: Ask, abort: AbortSignal): Promise<SlotPermit> {
    while (!abort.aborted) {
      const permit = this.tryReserveSlot(ask);
      if (permit) return permit;
      await sleep(LOOK_MS);
    }
    return {};
  }
  tryReserveSlot({ isSticky }: Ask): SlotPermit | null {
    const now = performance.now();
    const used = isSticky ? this.#used.sticky : this.#used.fresh;
    if (used.size >= SLOTS || (this.#pressure.isHigh && now - this.#lastAt < TRICKLE_MS)) return null;
    const permit = {};
    used.add(permit);
    this.#lastAt = now;
    return permit;
  }
  markSlotUsed(): void {}
  releaseSlot({ permit }: { readonly permit: SlotPermit }): void {
    this.#used.fresh.delete(permit);
    this.#used.sticky.delete(permit);
  }
}
