/** What occurs in random runs. */
import type { Happening } from '../../../../domain/flows/rehearse/clockwork.ts';
import type { Player } from './play.ts';
import type { Rehearsal } from './rehearsal.ts';

export class Coverage {
  readonly seen = new Set<string>();
  #add(what: string): void {
    this.seen.add(what);
  }

  see({ item: { flow }, attempts }: Player, { answers, simulated }: Rehearsal): void {
    this.#add(flow.progression === 'ITEM' ? 'ITEM' : flow.groupClaim);
    this.#add(answers.at(-1)!.state!.done ?? 'unfinished');
    for (const outcome of simulated.outcomes) this.#seeOutcome(outcome);
    for (const attempt of attempts) if ('closes' in attempt) this.#add(attempt.leaves ? 'claim approved' : 'claim withdrawn');
    const edges = Object.values(flow.graphs).flatMap((graph) => graph.edges);
    const timeouts = new Set(edges.flatMap(({ id, on }) => (on.type === 'result' && on.value === 'timeout' ? [id] : [])));
    for (const { happenings } of answers) for (const happening of happenings) this.#seeHappening(happening, timeouts);
  }
  #seeOutcome(outcome: object): void {
    if ('isAtOnce' in outcome) this.#add(outcome.isAtOnce ? 'claim at once' : 'claim');
    else if ('code' in outcome) this.#add(String('reason' in outcome ? outcome.reason : outcome.code));
  }
  #seeHappening({ event, effects, trace, state }: Happening, timeouts: ReadonlySet<string>): void {
    this.#add(event.type === 'result' ? event.value : event.type);
    for (const { type } of effects) this.#add(type);
    if (trace.some(({ edges }) => edges.some((edge) => timeouts.has(edge)))) this.#add('timeout');
    if (state.positions.some(({ branch }) => branch !== undefined)) this.#add('branch');
    if (state.positions.some(({ flow }) => flow !== undefined)) this.#add('subflow');
  }
}
