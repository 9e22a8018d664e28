/** What a run is to its flow: it wakes at the nearest deadline, hands in the outcomes of its calls, and passes on what people do. */
import type { Flow } from '../../../domain/flows/run/flow.ts';
import { leaves, nearest } from '../../../domain/flows/run/positions.ts';
import type { SimulatedEvent, SimulatedStep, Simulation } from '../../../domain/flows/rehearse/simulate.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { Effect, Facts, FlowEvent, FlowState, Member, Trace } from '../../../domain/flows/run/state.ts';

interface Stepped {
  readonly when: number;
  readonly effects: readonly Effect[];
  readonly trace: readonly Trace[];
}
interface Ran {
  readonly reason: string | null;
  readonly steps: readonly Stepped[];
}

export class Host {
  readonly flow: Flow;
  readonly simulation: Simulation;
  now: number;
  state: FlowState | null = null;
  constructor(flow: Flow, simulation: Simulation) {
    this.flow = flow;
    this.simulation = simulation;
    this.now = simulation.at;
  }

  take(one: SimulatedStep): Ran {
    if (!('advance' in one)) return this.#send(one.event);
    const until = this.now + one.advance;
    const steps = this.#wake(until);
    this.now = until;
    return { reason: null, steps };
  }

  #send(event: SimulatedEvent): Ran {
    const reason = this.#claimRefusal(event);
    if (reason) return { reason, steps: [] };
    const steps: Stepped[] = [];
    for (const own of this.#eventsOf(event)) {
      const refused = this.#apply(own, steps);
      if (refused) return { reason: refused, steps: [] };
    }
    return { reason: null, steps: [...steps, ...this.#wake(this.now)] };
  }

  /** What is due and the outcomes of calls, as long as there is any; before each outcome what is due by then. */
  #wake(until: number): readonly Stepped[] {
    const steps: Stepped[] = [];
    for (;;) {
      const due = this.state && nearest(this.state);
      const call = due && due.at <= this.now ? undefined : this.#calls.shift();
      if (call) {
        const value = this.simulation.results[call.nodeId] ?? 'success';
        this.#apply({ type: 'result', call: call.call, value }, steps);
        continue;
      }
      if (!due || due.at > until) return steps;
      this.now = Math.max(this.now, due.at);
      this.#apply({ type: 'elapsed' }, steps);
    }
  }
  readonly #calls: { readonly nodeId: string; readonly call: string }[] = [];

  #apply(event: FlowEvent, steps: Stepped[]): string | null {
    const result = step(this.flow, this.state, event, this.now, this.factsOf(this.state, event));
    if (!result.ok) return result.reason;
    const { state, effects, trace } = result;
    this.state = state;
    steps.push({ when: this.now, effects, trace });
    for (const effect of effects) if (effect.type === 'external.call') this.#calls.push(effect);
    return null;
  }

  #claimRefusal({ type }: SimulatedEvent): string | null {
    const { state } = this;
    if (type === 'claim.closed') return state!.claims.length > 0 ? null : 'NOT_IN_STATE';
    if (type !== 'claim.opened') return null;
    if (state!.claims.length > 0) return 'CLAIM_IN_PROGRESS';
    if (state!.done) return 'FINISHED';
    return leaves(this.flow, state!).some(({ node }) => node.type === 'external') ? 'EXTERNAL_PENDING' : null;
  }

  #eventsOf(event: SimulatedEvent): readonly FlowEvent[] {
    if (event.type === 'start') return [{ type: 'start', members: [{ id: 'item', activeQuantity: this.simulation.item.quantity }] }];
    if (event.type === 'claim.opened') return [{ type: 'claim.opened', claimId: 'claim', member: 'item' }];
    if (event.type !== 'claim.closed') return [event];
    const closed: FlowEvent = { type: 'claim.closed', claimId: 'claim' };
    if (!event.leaves) return [closed];
    const [{ activeQuantity: quantity, standsAt }] = this.state!.members as [Member];
    const { status } = standsAt ?? this.state!;
    const cause = status === 'PAID' || status === 'CONFIRMED' ? 'CLAIM_CANCEL' : 'CLAIM_RETURN';
    return [{ type: 'reduced', member: 'item', quantity, cause, refId: 'claim' }, closed];
  }

  factsOf(state: FlowState | null, event?: FlowEvent): Facts {
    const { item, paidAt, settings, holidays } = this.simulation;
    const active = state?.members[0]?.activeQuantity ?? item.quantity;
    return {
      settings,
      holidays,
      items: { item },
      order: { paidAt, totalAmount: item.unitPrice * item.quantity },
      refundableWon: { item: active * item.unitPrice },
      ...(event && 'attachments' in event && { uploads: new Set(event.attachments) }),
    };
  }
}
