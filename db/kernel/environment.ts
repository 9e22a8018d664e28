/** Reads environment variables and collects all problems, so that one error reports them together. */

export type Variables = Readonly<Record<string, string | undefined>>;

export class Environment {
  readonly isProduction: boolean;
  readonly #variables: Variables;
  readonly #problems: string[] = [];

  constructor(variables: Variables) {
    this.#variables = variables;
    this.isProduction = variables['NODE_ENV'] === 'production';
  }
  get(name: string): string | undefined {
    return this.#variables[name];
  }
  /** The value, or in development the default; a missing value is a problem. */
  need(name: string, development: string | null): string {
    const value = this.get(name) ?? (this.isProduction ? null : development);
    if (value !== null && value !== '') return value;
    this.refuse(`Set ${name}: it has no default${this.isProduction ? ' in production' : ''}.`);
    return '';
  }
  /** As `need`; in production it must be https. */
  address(name: string, development: string | null): string {
    return this.#secure(name, this.need(name, development));
  }
  /** An address with a default, in production too. */
  addressOr(name: string, fallback: string): string {
    const value = this.get(name) ?? '';
    return this.#secure(name, value === '' ? fallback : value);
  }
  #secure(name: string, value: string): string {
    if (this.isProduction && value !== '' && !(URL.canParse(value) && new URL(value).protocol === 'https:'))
      this.refuse(`${name} must be an https address in production.`);
    return value;
  }
  count(name: string, fallback: number): number {
    const value = Number(this.get(name) ?? fallback);
    if (!Number.isInteger(value) || value < 0) this.refuse(`${name} must be a whole number.`);
    return value;
  }
  /** `true` or `false`. */
  flag(name: string, fallback: boolean): boolean {
    const value = this.get(name) ?? String(fallback);
    if (value !== 'true' && value !== 'false') this.refuse(`${name} must be true or false.`);
    return value === 'true';
  }
  /** Null where it is not set. */
  port(name: string): number | null {
    return this.get(name) === undefined ? null : this.count(name, 0);
  }
  /** Variables that are refused in production. */
  onlyInDevelopment(...names: readonly string[]): void {
    for (const name of names)
      if (this.isProduction && !['', 'false'].includes(this.get(name) ?? '')) this.refuse(`Unset ${name}: it is refused in production.`);
  }
  /** The result of `read`; when it throws, its message is a problem and `otherwise` the result. */
  try<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      this.refuse((error as Error).message);
      return otherwise;
    }
  }
  refuse(problem: string): void {
    this.#problems.push(problem);
  }
  /** Throws one error with all problems, one per line. */
  check(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('\n'));
  }
}
