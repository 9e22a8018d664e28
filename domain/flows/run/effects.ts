/** The effects of a step on one of its items. */
import type { Effect } from './state.ts';

/** An effect without members is about the only item. One that stands still while its group goes on has none but alerts. */
export const effectsOn = (effects: readonly Effect[], itemId: string): readonly Effect[] =>
  effects.filter((effect) => {
    if (effect.type === 'refund') return effect.member === itemId;
    if (effect.type === 'cancel') return effect.leavers.some(({ id }) => id === itemId);
    if (effect.type === 'alert') return true;
    return effect.members === undefined || effect.members.includes(itemId);
  });
