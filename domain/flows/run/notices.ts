/** What subscribers are told of a step: events of the catalogue (docs/contract.md#events, D14). */
import type { Effect } from './state.ts';
import type { PublicStatus } from '../graph/status.ts';

type StatusEvent = 'ORDER.CONFIRMED' | 'ORDER.DISPATCHED' | 'ORDER.DELIVERED' | 'ORDER.PURCHASE_DECIDED';
/** The event of each public status, however it was reached. */
const STATUS_EVENT: Readonly<Partial<Record<PublicStatus, StatusEvent>>> = {
  CONFIRMED: 'ORDER.CONFIRMED',
  DISPATCHED: 'ORDER.DISPATCHED',
  DELIVERED: 'ORDER.DELIVERED',
  PURCHASE_DECIDED: 'ORDER.PURCHASE_DECIDED',
};

/** `members`: about whom, in a group; one event for each of them. */
type Addressed = { readonly at: number; readonly members?: readonly string[] };
/** A `status` of null is the one that the item has. */
export type Notice = Addressed &
  (
    | {
        readonly type: 'ORDER.FLOW_STATE_CHANGED';
        readonly from: string | null;
        readonly to: string;
        readonly label: string;
        readonly status: PublicStatus | null;
      }
    | { readonly type: StatusEvent | 'ORDER.FULFILLED'; readonly status: PublicStatus | null }
    | { readonly type: 'ORDER.FLOW_NOTIFICATION'; readonly name: string; readonly status: PublicStatus | null }
    /** With what was given back, which the transaction knows. */
    | { readonly type: 'ORDER.CANCELED' }
  );

/**
 * The events of a step in their order: one per node that is entered, but none at payment; one per new public status, and none but the
 * node's after a move; for a provision ORDER.FULFILLED, before the status that follows its record.
 */
export function noticesOf(event: { readonly type: string }, effects: readonly Effect[]): readonly Notice[] {
  const notices: Notice[] = [];
  let provided: Addressed | null = null;
  let status: PublicStatus | null = effects.find((effect) => effect.type === 'status')?.from ?? null;
  const reportProvision = (): void => {
    if (provided) notices.push({ type: 'ORDER.FULFILLED', ...provided, status });
    provided = null;
  };
  for (const [i, effect] of effects.entries()) {
    const addressed = addressedOf(effect);
    if (effect.type === 'fulfillment.record') {
      reportProvision();
      provided = addressed;
    } else if (effect.type === 'status') {
      status = effect.to;
      reportProvision();
      const type = event.type === 'move' ? undefined : STATUS_EVENT[effect.to];
      if (type) notices.push({ type, ...addressed, ...(effect.told && { members: effect.told }), status });
    } else if (effect.type === 'notify') notices.push({ type: 'ORDER.FLOW_NOTIFICATION', ...addressed, name: effect.name, status });
    else if (effect.type === 'cancel') notices.push({ type: 'ORDER.CANCELED', at: effect.at, members: effect.leavers.map(({ id }) => id) });
    else if (effect.type === 'state' && event.type !== 'start') {
      const { from, to, label } = effect;
      notices.push({ type: 'ORDER.FLOW_STATE_CHANGED', ...addressed, from, to, label, status: statusAfter(effects, i) ?? status });
    }
  }
  reportProvision();
  return notices;
}

const addressedOf = (effect: Effect): Addressed => {
  const { at } = effect;
  return 'members' in effect && effect.members ? { at, members: effect.members } : { at };
};

/** The public status that comes with a node: it is told before the next node is entered. */
function statusAfter(effects: readonly Effect[], i: number): PublicStatus | null {
  const follows = effects.slice(i + 1).find(({ type }) => type === 'status' || type === 'state');
  return follows?.type === 'status' ? follows.to : null;
}
