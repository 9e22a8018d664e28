import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';

/**
 * A bounded FIFO queue in this process (docs/architecture.md#libraries): `slots` run at once, `waiting` more are queued; beyond that
 * TOO_MANY_REQUESTS.
 */
export class Lane {
  private readonly name: string;
  private readonly slots: number;
  private readonly waiting: number;
  private readonly line: (() => void)[] = [];
  private busy = 0;
  constructor(name: string, { slots, waiting }: { readonly slots: number; readonly waiting: number }) {
    this.name = name;
    this.slots = slots;
    this.waiting = waiting;
  }
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy < this.slots) this.busy++;
    else if (this.line.length < this.waiting) await new Promise<void>((resolve) => this.line.push(resolve));
    else {
      limitRefusals.inc({ limit: this.name });
      throw new Fault('TOO_MANY_REQUESTS');
    }
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      if (next) next();
      else this.busy--;
    }
  }
}
