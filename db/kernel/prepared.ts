/**
 * Names for prepared statements: Postgres parses and plans a named statement once per connection. Only inserts, updates and selects by key
 * get one, at their second use. Lists and searches do not: from the sixth use Postgres may plan a named statement without its values.
 *
 * A migration that changes what a statement returns makes its plan unusable (SQLSTATE 0A000, "cached plan must not change result type").
 * Then all names are renewed, and every connection is closed after its current transaction (lazyBegin.ts); the transaction is run once more
 * (tx.ts).
 */
const BY_KEY =
  /^select "\w+"\.\* from "\w+" as "\w+" where "\w+"\."\w+" = \$\d+(?: and "\w+"\."\w+" = \$\d+)* limit \$\d+(?: for update)?$/;
const isNamed = (text: string): boolean => text.length < MAX_TEXT && (/^(?:insert into|update) /i.test(text) || BY_KEY.test(text));
/** Inserts of many rows have a text for each number of rows. */
const MAX_TEXT = 3000;
/** Each plan takes memory on every connection. */
const MAX_NAMES = 300;

class StatementNames {
  /** How often the names were renewed. */
  generation = 0;
  /** Null: used once. */
  readonly #names = new Map<string, string | null>();
  #count = 0;

  /** The name of a statement; null when it has none. */
  of(text: string): string | null {
    const known = this.#names.get(text);
    if (known) return known;
    if (!isNamed(text) || this.#names.size >= MAX_NAMES) return null;
    const name = known === null ? `s${this.generation}_${this.#count++}` : null;
    this.#names.set(text, name);
    return name;
  }

  /** Renews all names, unless that has happened since `generation`. */
  renew(generation: number): void {
    if (generation < this.generation) return;
    this.generation++;
    this.#names.clear();
  }
}
/** Of this process. */
export const statementNames = new StatementNames();

/** Whether a statement failed because its plan is outdated. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '0A000' && error.message.includes('cached plan');
