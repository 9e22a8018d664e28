/** What built-in actions hand over in a group of shipped and other items (F21). */
import type { Draft } from './draft.ts';
import type { Action } from '../graph/graph.ts';
import { moving } from './positions.ts';
import type { Effect } from './state.ts';

/** Shipped items are dispatched, the others provided. */
export const isHandedOver = (platform: Action['platform'], isShipped: boolean): boolean => isShipped === (platform === 'dispatch');

/**
 * The whole group moves by a dispatch or a provision, and only the items of its kind are handed over: the record and the event of the
 * action are theirs. After the edge was taken; a provision is recorded also where the edge does not say so, and its event follows.
 */
export function handOver(draft: Draft, { platform }: Action): void {
  if (platform !== 'dispatch' && platform !== 'fulfill') return;
  const { effects, facts, flow, state, at } = draft;
  const all = moving(state).map(({ id }) => id);
  const suits = (id: string): boolean => facts.shipped === undefined || isHandedOver(platform, facts.shipped.has(id));
  if (platform === 'fulfill' && !effects.some(({ type }) => type === 'fulfillment.record'))
    effects.unshift({ type: 'fulfillment.record', at, ...(flow.progression === 'ORDER_GROUP' && { members: all }) });
  if (all.every(suits)) return;
  effects.splice(0, effects.length, ...effects.map((effect) => narrowed(effect, platform, suits)));
}
function narrowed(effect: Effect, platform: 'dispatch' | 'fulfill', suits: (id: string) => boolean): Effect {
  if (platform === 'fulfill' && effect.type === 'fulfillment.record' && effect.members)
    return { ...effect, members: effect.members.filter(suits) };
  if (platform === 'dispatch' && effect.type === 'status' && effect.to === 'DISPATCHED' && effect.members)
    return { ...effect, told: effect.members.filter(suits) };
  return effect;
}
