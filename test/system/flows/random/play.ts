/** What sellers, buyers and other systems do to a bought item, by chance: what its state offers, and some that it does not. */
import type { Action } from '../../../../domain/flows/graph/graph.ts';
import { leaves } from '../../../../domain/flows/run/positions.ts';
import type { SimulatedEvent } from '../../../../domain/flows/rehearse/simulate.ts';
import type { FlowState, InputIssue } from '../../../../domain/flows/run/state.ts';
import { isBefore } from '../../../../domain/flows/graph/status.ts';
import type { ActionPayload } from '../../../../domain/orders/messages.ts';
import { Fault } from '../../../../domain/kernel/errors.ts';
import type { RunName } from '../../../../workflows/kernel/start.ts';
import type { Pen } from '../../../units/flows/pen.ts';
import type { BoughtItem, RandomShop } from './shop.ts';

type Sent = Extract<SimulatedEvent, { readonly type: 'seller.action' | 'buyer.action' | 'event' }>;
type ClaimType = 'CANCEL' | 'RETURN';
export interface Refused {
  readonly code: string;
  readonly reason?: string;
  readonly issues?: readonly InputIssue[];
}
/** What was done, when it began and when it was answered; of what was accepted a record tells the moment. */
export type Attempt = { readonly at: number; readonly answeredAt: number } & Tried;
type Tried =
  | { readonly event: Sent; readonly refused: Refused | null }
  | { readonly closes: RunName<'claim'>; readonly leaves: boolean }
  /** `filed`: its run, or the code of its refusal. */
  | { readonly claims: ClaimType; readonly filed: RunName<'claim'> | string };

export class Player {
  readonly item: BoughtItem;
  readonly attempts: Attempt[] = [];
  readonly #shop: RandomShop;
  readonly #pen: Pen;
  #claim: RunName<'claim'> | null = null;
  constructor(shop: RandomShop, item: BoughtItem, pen: Pen) {
    this.item = item;
    this.#shop = shop;
    this.#pen = pen;
  }

  /** Does one thing, or nothing. */
  async play(state: FlowState): Promise<void> {
    const { under } = this.#shop;
    if (this.#pen.chance(state.done ? 94 : 10)) return;
    const at = await under.now();
    const tried = await this.#try(state);
    this.attempts.push({ ...tried, at, answeredAt: await under.now() });
  }
  #try(state: FlowState): Promise<Tried> {
    if (state.claims.length > 0 && this.#pen.chance(60)) return this.#close();
    return this.#pen.chance(15) ? this.#file(state) : this.#send(this.#choose(state));
  }

  async #close(): Promise<Tried> {
    const closes = this.#claim!;
    const isApproved = this.#pen.chance(35);
    if (isApproved) await this.#shop.command(closes, 'approve', { seen: 'REQUESTED' });
    else await this.#shop.command(closes, 'withdraw', {});
    return { closes, leaves: isApproved };
  }

  async #file({ status }: FlowState): Promise<Tried> {
    const claims = isBefore(status, 'DISPATCHED') ? 'CANCEL' : 'RETURN';
    try {
      this.#claim = await this.#shop.under.claim(this.item.orderItemId, { type: claims, reason: 'CHANGE_OF_MIND' });
      return { claims, filed: this.#claim };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { claims, filed: error.code };
    }
  }

  /** As the API sends it: what was typed is kept aside. */
  async #send(event: Sent): Promise<Tried> {
    const { under, uploads } = this.#shop;
    const { run, orderItemId, isGrouped } = this.item;
    const member = isGrouped ? { orderItemId } : {};
    const payloadId = await under.text(JSON.stringify(payloadOf(event, uploads)));
    try {
      if (event.type === 'event') await this.#shop.command(run, 'receive', { payloadId, ...member });
      else {
        const side = event.type === 'seller.action' ? 'seller' : 'buyer';
        await this.#shop.command(run, 'act', { side, key: event.key, payloadId, ...member });
      }
      return { event, refused: null };
    } catch (error) {
      return { event, refused: refusalOf(error) };
    }
  }

  /** Most are offered where it stands; some were sent the time before. */
  #choose(state: FlowState): Sent {
    const pen = this.#pen;
    const before = this.attempts.at(-1);
    if (before && 'event' in before && pen.chance(25)) return before.event;
    const { flow } = this.item;
    const graphs = Object.values(flow.graphs);
    const here = leaves(flow, state).flatMap(({ graph, node }) => graph.edgesFrom.get(node.id) ?? []);
    const edges = here.filter(({ on }) => on.type === 'seller.action' || on.type === 'buyer.action' || on.type === 'event');
    const { on, to } = pen.pick(edges.length > 0 && pen.chance(75) ? edges : graphs.flatMap((graph) => graph.edges));
    if (on.type === 'event') return { type: 'event', name: on.name, ...(pen.chance(50) && { data: { seen: pen.count(1, 9) } }) };
    if (on.type !== 'seller.action' && on.type !== 'buyer.action') return { type: 'seller.action', key: 'unheard-of' };
    const action = graphs.flatMap(({ actions }) => actions).find(({ key }) => key === on.key)!;
    const target = graphs.flatMap(({ states }) => states).find(({ id }) => id === to);
    const takesFiles = target?.type === 'state' && target.attachments !== undefined;
    const isOther = pen.chance(4);
    const type = (action.by === 'seller') !== isOther ? 'seller.action' : 'buyer.action';
    return { type, key: on.key, ...this.#input(action), ...(type === 'seller.action' && this.#attachments(takesFiles)) };
  }
  #input({ input: fields = [] }: Action): Pick<ActionPayload, 'input'> {
    const pen = this.#pen;
    if (fields.length === 0) return pen.chance(4) ? { input: { choice: 'A' } } : {};
    if (pen.chance(8)) return {};
    return { input: { choice: pen.pick(['A', 'A', 'B', 'B', 'C']) } };
  }
  /** None, one, several, or one twice. */
  #attachments(areTaken: boolean): Pick<ActionPayload, 'attachments'> {
    const [one = '', other = ''] = Object.keys(this.#shop.uploads);
    if (!this.#pen.chance(areTaken ? 85 : 4)) return {};
    return { attachments: this.#pen.pick([[one], [one], [other], [one, other], [other, other], []]) };
  }
}

function payloadOf(event: Sent, uploads: RandomShop['uploads']): ActionPayload {
  if (event.type === 'event') return { name: event.name, ...(event.data && { data: event.data }) };
  const { input, attachments } = event;
  const known = Object.fromEntries((attachments ?? []).map((address) => [address, uploads[address]!]));
  return { ...(input && { input }), ...(attachments && { attachments }), ...(attachments && attachments.length > 0 && { uploads: known }) };
}

/** The refusal that the run's update failed with. */
function refusalOf(error: unknown): Refused {
  const { type, details } = (error as { cause?: { type?: string; details?: readonly { details?: object }[] } }).cause ?? {};
  if (type === undefined || type === 'INTERNAL' || type === 'OUTAGE') throw error;
  return { code: type, ...details?.[0]?.details };
}
