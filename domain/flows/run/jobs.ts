/** What has to be done for a step, as simulations and run records tell it. */
import { noticesOf } from './notices.ts';
import type { Effect, CanceledMember } from './state.ts';

/** `at`: business milliseconds. `members`: about whom, in a group; of a flow of one item it goes without saying. */
export type Job = { readonly at: number; readonly members?: readonly string[] } & (
  | {
      readonly type: 'tracking.start' | 'tracking.stop' | 'stock.capture' | 'stock.restore' | 'fulfillment.record' | 'points.earn';
    }
  /** `deduct`: won that are kept back. */
  | { readonly type: 'refund'; readonly deduct: number }
  | { readonly type: 'notify'; readonly name: string; readonly to: 'buyer' | 'seller'; readonly message: string }
  | { readonly type: 'deadline.extend'; readonly deadline: string; readonly by: string }
  | { readonly type: 'external.call'; readonly nodeId: string }
  /** An event type of the catalogue. */
  | { readonly type: 'event'; readonly name: string }
);

/** The jobs of a step: what its effects ask for in their order, and then the events that are sent. */
export function jobsOf(event: { readonly type: string }, effects: readonly Effect[]): readonly Job[] {
  const sent = noticesOf(event, effects).map(({ type: name, at, members }): Job => ({
    type: 'event',
    at,
    name,
    ...(members && { members }),
  }));
  return [...effects.flatMap(jobsOfEffect), ...sent];
}

function jobsOfEffect(effect: Effect): readonly Job[] {
  if (effect.type === 'state' || effect.type === 'alert') return [];
  if (effect.type === 'cancel') return cancelJobs(effect.leavers, effect.at);
  const { at } = effect;
  if (effect.type === 'refund') return [{ type: 'refund', at, members: [effect.member], deduct: effect.deductWon }];
  const about = effect.members ? { members: effect.members } : {};
  if (effect.type === 'external.call') return [{ type: 'external.call', at, nodeId: effect.nodeId, ...about }];
  if (effect.type !== 'status') return [effect];
  return effect.to === 'PURCHASE_DECIDED' || effect.to === 'EXCHANGED' ? [{ type: 'points.earn', at, ...about }] : [];
}

/** A CANCELED end pays for each of them, and gives its stock back, unless that was done on the way. */
function cancelJobs(leavers: readonly CanceledMember[], at: number): readonly Job[] {
  const [unpaid, unrestored] = [leavers.filter(({ settled }) => !settled), leavers.filter(({ restored }) => !restored)];
  const ids = (of: readonly CanceledMember[]) => of.map(({ id }) => id);
  return [
    ...(unpaid.length > 0 ? [{ type: 'refund', at, members: ids(unpaid), deduct: 0 } as const] : []),
    ...(unrestored.length > 0 ? [{ type: 'stock.restore', at, members: ids(unrestored) } as const] : []),
  ];
}
