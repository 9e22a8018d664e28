import { moveOrderItem } from '../db/orders/move.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { transitionActivity } from './kernel/transition.ts';

export const orderActivities = (deps: ActivityDeps) => ({
  moveOrderItem: transitionActivity(deps, {
    kind: 'orderItem',
    move: (em, run, event, at) => moveOrderItem(em, run, event, at, deps.clock.now()),
  }),
});
