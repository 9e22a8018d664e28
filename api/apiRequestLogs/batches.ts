/** What is written in batches behind the back of requests: nobody waits for it, and it never takes more memory than its bound. */
export interface BatchOptions<T> {
  /** A batch is written when it has so many items, or when its oldest one has waited for `waitMs`. */
  readonly size: number;
  readonly waitMs: number;
  /** Items that wait or are being written; what comes beyond them is dropped. */
  readonly bound: number;
  /** The wait before items that could not be written are tried again. */
  readonly retryMs: number;
  /** Writes a batch; returns what is to be tried again. Never rejects. */
  readonly write: (batch: readonly T[]) => Promise<readonly T[]>;
  /** Told how many items were dropped. */
  readonly onDrop: (count: number) => void;
}

/** One batch is written at a time, the oldest items first. */
export class Batches<T> {
  readonly #options: BatchOptions<T>;
  #waiting: T[] = [];
  #inFlight = 0;
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** The last batch could not be written: the next one waits for the timer, however many items there are. */
  #hasFailed = false;

  constructor(options: BatchOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    const { bound, size, onDrop } = this.#options;
    if (this.#isClosed || this.#waiting.length + this.#inFlight >= bound) return onDrop(1);
    this.#waiting.push(item);
    if (this.#waiting.length >= size && !this.#hasFailed) this.#start();
    else this.#schedule();
  }

  /** Writes what waits, each batch once; the rest is dropped, as is what still waits after `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    const expired = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
    await Promise.race([this.#drain(), expired]);
    const left = this.#waiting.length + this.#inFlight;
    this.#waiting = [];
    if (left > 0) this.#options.onDrop(left);
  }

  async #drain(): Promise<void> {
    await this.#writing;
    while (this.#waiting.length > 0) {
      await this.#writeOne();
      if (this.#hasFailed) return;
    }
  }

  #schedule(): void {
    const { waitMs, retryMs } = this.#options;
    if (this.#isClosed || this.#timer || this.#writing) return;
    this.#timer = setTimeout(() => this.#start(), this.#hasFailed ? retryMs : waitMs).unref();
  }

  #cancel(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #start(): void {
    this.#cancel();
    this.#writing ??= this.#writeFull().finally(() => {
      this.#writing = null;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  /** A batch, and further ones while they are full. */
  async #writeFull(): Promise<void> {
    do await this.#writeOne();
    while (this.#waiting.length >= this.#options.size && !this.#hasFailed && !this.#isClosed);
  }

  async #writeOne(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.size);
    this.#inFlight = batch.length;
    const left = await this.#options.write(batch);
    this.#inFlight = 0;
    this.#hasFailed = left.length > 0;
    this.#waiting.unshift(...left);
  }
}
