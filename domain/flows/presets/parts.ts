/** What presets are written with: edges with telling ids, and the permissions that sellers have in most states. */
import type { Edge, Execution, Permissions, Result } from '../graph/graph.ts';

type More = Pick<Edge, 'when' | 'internal' | 'run'>;

export const onSeller = (from: string, key: string, to: string, more: More = {}): Edge => ({
  id: `${from}:${key}`,
  from,
  to,
  on: { type: 'seller.action', key },
  ...more,
});
export const onBuyer = (from: string, key: string, to: string, more: More = {}): Edge => ({
  id: `${from}:${key}`,
  from,
  to,
  on: { type: 'buyer.action', key },
  ...more,
});
export const onElapsed = (from: string, deadline: string, to: string, more: More = {}): Edge => ({
  id: `${from}:@${deadline}`,
  from,
  to,
  on: { type: 'elapsed', deadline },
  ...more,
});
export const onEvent = (from: string, name: string, to: string, more: More = {}): Edge => ({
  id: `${from}:${name}`,
  from,
  to,
  on: { type: 'event', name },
  ...more,
});
export const onResult = (from: string, value: Result, to: string, more: More = {}): Edge => ({
  id: `${from}:${value}`,
  from,
  to,
  on: { type: 'result', value },
  ...more,
});
export const notify = (to: 'buyer' | 'seller', name: string, message: string): Execution => ({ type: 'notify', name, to, message });
/** A message while the state stays. */
export const remind = (from: string, deadline: string, message: Execution): Edge =>
  onElapsed(from, deadline, from, { internal: true, run: [message] });

/** The seller may cancel, with the refund at once or held. */
export const sellerCancels = { sellerForcedCancel: true, sellerCancelHoldRefund: true } as const satisfies Permissions;
