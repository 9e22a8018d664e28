/** How much of what sellers and buyers send a flow keeps (F46): inputs, and the addresses of attachments, of both sides together. */
import type { Action } from '../graph/graph.ts';
import type { FlowState, Position } from './state.ts';

/** As JSON, in bytes. Beside the data blocks, which have a bound of their own. */
export const MAX_INPUT_BYTES = 64 * 1024;
/** How many earlier attachments are kept. */
export const EARLIER = 50;

const encoder = new TextEncoder();
/** With the separator that follows. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length + 1;
export const entryBytes = (key: string, value: unknown): number => bytesOf(key) + bytesOf(value);
const addressBytes = (addresses: readonly string[]): number => addresses.reduce((sum, one) => sum + bytesOf(one), 0);

const inputBytes = (inputs: Readonly<Record<string, unknown>>, replaced: ReadonlySet<string>): number =>
  Object.entries(inputs).reduce((sum, [key, value]) => sum + (replaced.has(key) ? 0 : entryBytes(key, value)), 0);

/** What a flow keeps of them now. */
export const storedBytes = ({ inputs = {}, positions, earlierAttachments = [] }: FlowState): number =>
  inputBytes(inputs, new Set()) + addressBytes([...earlierAttachments, ...positions.flatMap(({ attachments = [] }) => attachments)]);

/**
 * How many bytes the values of an action may take, which replace those of its form, with the attachments that it brings. A flow that keeps
 * more, of before there was a bound, may keep less, and no more.
 */
export function roomFor(state: FlowState, { id }: Position, { input: fields = [] }: Action): number {
  const { inputs = {}, positions, earlierAttachments = [] } = state;
  const leaving = positions.flatMap(({ id: own, attachments = [] }) => (own === id ? attachments : []));
  const staying = positions.flatMap(({ id: own, attachments = [] }) => (own === id ? [] : attachments));
  const others = inputBytes(inputs, new Set(fields.map(({ key }) => key)));
  const carried = others + addressBytes(staying) + addressBytes([...earlierAttachments, ...leaving].slice(-EARLIER));
  return Math.max(MAX_INPUT_BYTES, storedBytes(state)) - carried;
}
