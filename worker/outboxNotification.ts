/** A notification that wakes one waiter; one without waiters is remembered for the next. */
export class OutboxNotification {
  readonly #waiting = new Set<() => void>();
  #isRemembered = false;
  notify(): void {
    const [wake] = this.#waiting;
    if (wake) wake();
    else this.#isRemembered = true;
  }
  wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
  wait(ms: number): Promise<void> {
    if (this.#isRemembered) {
      this.#isRemembered = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
