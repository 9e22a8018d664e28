/** Progress goes to stderr, so that commands which print JSON stay machine-readable. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A failure that the user can resolve: its message is one sentence that names the remedy. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Runs a command's main function; prints a UserError as its message, anything else with its stack. */
export async function run(main: () => Promise<number | void>): Promise<void> {
  try {
    const code = await main();
    if (typeof code === 'number') process.exit(code);
  } catch (error) {
    printProgress(error instanceof UserError ? error.message : String(error instanceof Error ? error.stack : error));
    process.exit(1);
  }
}

/** Has the command stop what it started when it is interrupted; a terminal and bin/bootstrap.mjs both send the signal. */
export function onInterrupt(stop: () => Promise<void>): void {
  let stopped: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (stopped ??= stop().finally(() => process.exit(1))));
}

/** Prints progress of slow work every ten seconds. */
export async function withProgress<T>(what: string, work: Promise<T>): Promise<T> {
  const began = Date.now();
  printProgress(`${what} …`);
  const tick = setInterval(() => printProgress(`${what} … ${Math.round((Date.now() - began) / 1000)} s`), 10_000);
  try {
    return await work;
  } finally {
    clearInterval(tick);
  }
}
