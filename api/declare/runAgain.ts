/** A handler that runs once more, after what it needs from outside of its transaction. */
import { RetryLater } from '../../domain/kernel/errors.ts';

/** The handler needs something from outside of its transaction, which is rolled back: `prepare` first, then the handler once more. */
export class RunAgain extends Error {
  readonly prepare: () => Promise<void>;
  readonly code: 'PAYMENT_PROVIDER_UNAVAILABLE' | 'TEMPORARILY_UNAVAILABLE';
  /** `code`: of the refusal after too many runs. */
  constructor(prepare: () => Promise<void>, code: RunAgain['code'] = 'PAYMENT_PROVIDER_UNAVAILABLE') {
    super('run again after the preparation');
    this.prepare = prepare;
    this.code = code;
  }
}
/** Each provider's circuit may be due. */
const MAX_RUNS = 2;
/** Prepares the next run; its refusal after too many. */
export async function runAgain({ prepare, code }: RunAgain, runs: number): Promise<void> {
  if (runs > MAX_RUNS) throw new RetryLater(1, code);
  await prepare();
}
