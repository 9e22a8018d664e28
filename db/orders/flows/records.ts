/** Records of flows: one for each accepted happening, the same at every member of a group (F31). */
import type { Effect, Facts, FlowEvent, FlowState, Trace } from '../../../domain/flows/run/state.ts';
import { newId } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/tx.ts';
import { FlowStepEntity, type OrderItem } from '../entities.ts';

export interface FlowRecord {
  readonly event: FlowEvent | { readonly type: 'migrate' };
  /** Of an elapsed deadline: its key. */
  readonly deadline?: string | undefined;
  /** Who sent the command; SYSTEM without one. */
  readonly actor: string;
  readonly at: number;
  readonly state: Pick<FlowState, 'seq'>;
  readonly trace: readonly Trace[];
  /** With which its deadlines were armed: a replay arms them alike. */
  readonly settings?: Facts['settings'];
}
/** A member, its own effects, and what its record says besides. */
export interface RecordedItem {
  readonly item: OrderItem;
  readonly effects: readonly Effect[];
  readonly details: object;
}

/** What was sent with an event, which the record has once: at its first item. The others name it (`valuesOf`). */
function withoutValues(recorded: object, valuesOf: string): object {
  const { input, attachments, data, ...rest } = recorded as Readonly<Record<string, unknown>>;
  return (input ?? attachments ?? data) ? { ...rest, valuesOf } : rest;
}

/** Writes the record of a step at each of these items. */
export function writeRecord({ em, storeId, at: now }: Tx, record: FlowRecord, items: readonly RecordedItem[]): void {
  const { event, deadline, actor, at, state, trace, settings } = record;
  const runId = newId('flr', now);
  for (const [i, { item, effects, details }] of items.entries()) {
    const { orderItemId, flowKey, flowVersion, status } = item;
    const recorded = { ...event, ...(deadline !== undefined && { deadline }), ...(settings && { settings }), actor, ...details };
    const row = {
      storeId,
      orderItemId,
      seq: state.seq,
      event: i === 0 ? recorded : withoutValues(recorded, items[0]!.item.orderItemId),
      at: new Date(at),
      trace,
      effects,
      runId,
      flowKey,
      flowVersion,
      status,
    };
    em.persist(em.create(FlowStepEntity, row));
  }
}
