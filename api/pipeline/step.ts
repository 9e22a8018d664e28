import type { Answer } from '../declare/answer.ts';

/** What comes after a step. */
type Rest<At> = (at: At) => Promise<Answer>;
/** A step learns something of a request and hands it on, or answers it, or refuses it by a Fault. `rest`: all the steps after it. */
export type Step<In, Out> = (at: In, rest: Rest<Out>) => Promise<Answer>;

/** Steps in their order: each gets what the one before it has handed on. */
export class Steps<In, Out> {
  readonly names: readonly string[];
  readonly #walk: Step<In, Out>;

  private constructor(names: readonly string[], walk: Step<In, Out>) {
    this.names = names;
    this.#walk = walk;
  }

  static first<In, Out>(step: Step<In, Out>): Steps<In, Out> {
    return new Steps([step.name], step);
  }

  next<More>(step: Step<Out, More>): Steps<In, More> {
    return new Steps([...this.names, step.name], (at, rest) => this.#walk(at, (known) => step(known, rest)));
  }

  /** The last step answers whatever has come so far. */
  last(step: Rest<Out>): { readonly names: readonly string[]; readonly walk: Rest<In> } {
    return { names: [...this.names, step.name], walk: (at) => this.#walk(at, step) };
  }
}
