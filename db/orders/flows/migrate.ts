/** Items in flight go to the newest version of their flow, a portion at a time. */
import type { Flow } from '../../../domain/flows/run/flow.ts';
import { migrate } from '../../../domain/flows/run/move.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { orderGroupRun, orderItemRun, type RunIds } from '../../../workflows/kernel/messages.ts';
import { digestOf } from '../../kernel/digest.ts';
import type { Tx } from '../../kernel/tx.ts';
import { touch } from './context.ts';
import { applyToItem } from './itemRecord.ts';
import { publish } from './publish.ts';
import { writeRecord } from './records.ts';
import { setState, storedOf } from './states.ts';
import { enqueueDueWakes } from '../../runs/commands.ts';
import { readStore } from '../../stores/queries.ts';
import type { Store } from '../../stores/entities.ts';
import { flowFacts } from '../../flows/facts.ts';
import { countInFlight, lockPortion, type Unit } from './inFlight.ts';
import { type FlowRef, flowOf, loadFlows } from '../../flows/loaded.ts';
import { findFlow, findVersion, versionNumber } from '../../flows/stored.ts';

export interface Migrated {
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly migrated: number;
  readonly skipped: number;
  readonly remaining: number;
}

/**
 * Moves up to `limit` items of a version, groups as a whole. They keep state, inputs, data and attachments; their deadlines start anew.
 * FLOW_NOT_FOUND, FLOW_DEFAULT_LOCKED, FLOW_VERSION_NOT_FOUND, FLOW_PROGRESSION_MISMATCH. Repeated, it goes on where it stopped.
 */
export async function migrateItems(tx: Tx, flowId: string, versionText: string, limit: number): Promise<Migrated> {
  const flow = await findFlow(tx, flowId);
  if (flow.defaultFor) throw new Fault('FLOW_DEFAULT_LOCKED');
  const version = versionNumber(versionText);
  await findVersion(tx, flow, version);
  const { key: flowKey, latestVersion: toVersion } = flow;
  const head = { fromVersion: version, toVersion };
  if (version === toVersion) return { ...head, migrated: 0, skipped: 0, remaining: 0 };
  const [from, to] = await flowsOf(tx, { flowKey, flowVersion: version }, { flowKey, flowVersion: toVersion });
  if (from.progression !== to.progression) throw new Fault('FLOW_PROGRESSION_MISMATCH');
  const wanted = { flowKey, version, to };
  const units = await lockPortion(tx, wanted, limit);
  const store = await readStore(tx);
  for (const { items } of units) for (const item of items) item.flowVersion = toVersion;
  const items = units.flatMap((unit) => unit.items);
  await loadFlows(tx, items);
  const before = new Map(units.map((unit) => [unit, nodesOf(unit)]));
  for (const unit of units) await moveUnit(tx, store, unit, from);
  if (tx.isCompared) tx.facts['itemsDigest'] = movesDigest(units, before);
  await enqueueDueWakes(tx, units.map(runOf));
  await tx.em.flush();
  const { movable, stuck } = await countInFlight(tx, wanted);
  return { ...head, migrated: items.length, skipped: stuck, remaining: movable };
}

/** Where an item, or a group, stands. */
const nodesOf = ({ items: [first], group }: Unit): readonly string[] =>
  (group?.flowState ?? first!.storedState).positions.map(({ node }) => node);
/** Of the items that move, from where and to where: another portion of as many items is another one. */
const movesDigest = (units: readonly Unit[], before: ReadonlyMap<Unit, readonly string[]>): string =>
  digestOf(
    units
      .flatMap((unit) => unit.items.map(({ orderItemId }) => ({ orderItemId, from: before.get(unit), to: nodesOf(unit) })))
      .toSorted((a, b) => (a.orderItemId < b.orderItemId ? -1 : 1)),
  );

async function flowsOf(tx: Tx, from: FlowRef, to: FlowRef): Promise<readonly [Flow, Flow]> {
  await loadFlows(tx, [from, to]);
  return [flowOf(from), flowOf(to)];
}

/** No edge, no job, and no event unless the public status changes. The run reads its new deadlines when it is woken. */
async function moveUnit(tx: Tx, store: Store, { items, group, order }: Unit, from: Flow): Promise<void> {
  const [first] = items;
  const before = group?.flowState ?? first!.storedState;
  const { state, effects, trace } = migrate(from, flowOf(first!), before, tx.at, flowFacts(first!, items, store));
  if (group) Object.assign(group, { flowVersion: first!.flowVersion, flowState: state });
  for (const item of items) {
    if (group) setState(item, state);
    item.storedState = storedOf(item, state);
    applyToItem(tx, item, effects);
    touch({ tx, item }, order);
  }
  const moved = items.map((item) => ({ item, effects, details: {}, canceled: null }));
  const event = { type: 'migrate' } as const;
  writeRecord(tx, { event, actor: 'SELLER', at: tx.at, state, trace }, moved);
  if (effects.some(({ type }) => type === 'status')) await publish(tx, order, event, moved);
}
const runOf = ({ items: [first], group }: Unit): RunIds =>
  group ? orderGroupRun({ ...first!, groupId: group.groupId }) : orderItemRun(first!);
