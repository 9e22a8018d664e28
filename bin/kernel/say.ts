/** Progress goes to stderr, so that commands which print JSON stay machine-readable. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A failure that the person at the keyboard can mend: one sentence that names the remedy. */
export class Remedy extends Error {
  override readonly name = 'Remedy';
}

/** Runs a command's main function; a Remedy is printed as its sentence, anything else with its stack. */
export async function run(main: () => Promise<number | void>): Promise<void> {
  try {
    const code = await main();
    if (typeof code === 'number') process.exit(code);
  } catch (error) {
    say(error instanceof Remedy ? error.message : String(error instanceof Error ? error.stack : error));
    process.exit(1);
  }
}

/** Shows that something slow is still going on, every ten seconds. */
export async function whileSaying<T>(what: string, work: Promise<T>): Promise<T> {
  const began = Date.now();
  say(`${what} …`);
  const tick = setInterval(() => say(`${what} … ${Math.round((Date.now() - began) / 1000)} s`), 10_000);
  try {
    return await work;
  } finally {
    clearInterval(tick);
  }
}
