/** The flows that the lines of a new order begin: each chosen as it is assigned now, items of one grouped flow together. */
import { step } from '../../../domain/flows/run/step.ts';
import type { Facts, FlowState, StepResult } from '../../../domain/flows/run/state.ts';
import { isShipped, type PaymentLine } from '../../../domain/checkout/rules.ts';
import { nearest } from '../../../domain/flows/run/positions.ts';
import { orderGroupRun } from '../../../workflows/kernel/messages.ts';
import { chooseFlows, type FlowChoice } from '../../flows/choice.ts';
import { FlowGroupEntity } from '../../flows/entities.ts';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import { flowOf, holidaysOf, loadFlows } from '../../flows/loaded.ts';
import { newId } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/tx.ts';
import { openRun } from '../../runs/commands.ts';
import type { FlowFacts } from '../../flows/facts.ts';
import type { OrderItem } from '../entities.ts';

export interface NewOrder {
  readonly orderId: string;
  readonly orderNo: string;
  readonly totalWon: number;
  /** The store's, with which the deadlines of the start are armed. */
  readonly settings: Facts['settings'];
}
/** What an item begins with; `effects` and `trace` are those of its start. */
export interface Begun {
  readonly orderItemId: string;
  readonly flowKey: string;
  readonly flowVersion: number;
  readonly flowFacts: FlowFacts | null;
  readonly groupId: string | null;
  readonly state: FlowState;
  readonly started: Extract<StepResult, { readonly ok: true }>;
  /** Its own first timer; that of a group is its own run's. */
  readonly wakeAt: number | null;
}

/** One for each line, in their order. */
export async function beginFlows(tx: Tx, order: NewOrder, lines: readonly PaymentLine[]): Promise<readonly Begun[]> {
  const choices = await chooseFlows(
    tx,
    lines.map((line) => ({ productId: line.productId, isShipped: isShipped(line) })),
  );
  const attributes = await readAttributes(tx, lines, choices);
  const planned = lines.map((line, i) => plan(tx, order, line, choices[i]!, attributes));
  await loadFlows(tx, planned);
  const groups = Map.groupBy(planned, ({ flowKey, progression }) => (progression === 'ORDER_GROUP' ? flowKey : null));
  groups.delete(null);
  const grouped = new Map([...groups].map(([key, members]) => [key, beginGroup(tx, order, members)]));
  return planned.map((item) => grouped.get(item.flowKey)?.of(item) ?? beginAlone(tx, order, item));
}

interface Planned extends Pick<Begun, 'orderItemId' | 'flowKey' | 'flowVersion' | 'flowFacts'> {
  readonly progression: FlowChoice['progression'];
  readonly quantity: number;
  readonly scope: Pick<OrderItem, 'quantity' | 'unitPriceWon'> & { readonly stay: PaymentLine['stay'] };
}
function plan(tx: Tx, order: NewOrder, line: PaymentLine, choice: FlowChoice, attributes: ReadonlyMap<string, Attributes>): Planned {
  const { key: flowKey, version: flowVersion, progression } = choice;
  const { quantity, unitPriceWon, stay } = line;
  const facts = { option: attributes.get(line.variantId) ?? {}, order: { paidAt: tx.at, totalAmount: order.totalWon } };
  return {
    orderItemId: newId('oit', tx.at),
    flowKey,
    flowVersion,
    flowFacts: builtInFlow(flowKey, flowVersion) ? null : facts,
    progression,
    quantity,
    scope: { quantity, unitPriceWon, stay },
  };
}

type Attributes = Readonly<Record<string, string>>;
/** The attributes of the variants whose flows may read them, in one statement; none for the flows of the code. */
async function readAttributes({ sql, storeId }: Tx, lines: readonly PaymentLine[], choices: readonly FlowChoice[]) {
  const ids = lines.flatMap(({ variantId }, i) => (builtInFlow(choices[i]!.key, choices[i]!.version) ? [] : [variantId]));
  if (ids.length === 0) return new Map<string, Attributes>();
  const rows = await sql<{ variant_id: string; attributes: Attributes | null }>`
    SELECT variant_id, attributes FROM variant WHERE store_id = ${storeId} AND variant_id = ANY(${ids}::text[])`;
  return new Map(rows.map((row) => [row.variant_id, row.attributes ?? {}]));
}

function start(tx: Tx, { settings }: NewOrder, members: readonly Planned[]): Extract<StepResult, { readonly ok: true }> {
  const flow = flowOf(members[0]!);
  const items = Object.fromEntries(
    members.map(({ orderItemId, flowFacts, scope: { quantity, unitPriceWon: unitPrice, stay } }) => [
      orderItemId,
      {
        quantity,
        unitPrice,
        option: flowFacts?.option ?? {},
        stay: stay ? { checkIn: stay.checkIn, checkOut: stay.checkOut, nights: stay.nights.length } : null,
      },
    ]),
  );
  const event = {
    type: 'start',
    members: members.map(({ orderItemId: id, quantity: activeQuantity }) => ({ id, activeQuantity })),
  } as const;
  const order = members[0]?.flowFacts?.order;
  const started = step(flow, null, event, tx.at, { settings, items, holidays: holidaysOf(members[0]!), ...(order && { order }) });
  if (!started.ok) throw new Error(`The flow does not start: ${started.reason}`);
  return started;
}

function beginAlone(tx: Tx, order: NewOrder, item: Planned): Begun {
  const started = start(tx, order, [item]);
  return { ...item, groupId: null, state: started.state, started, wakeAt: nearest(started.state)?.at ?? null };
}

/** One state, one run; each member's row shows the state. */
function beginGroup(tx: Tx, order: NewOrder, members: readonly Planned[]): { readonly of: (item: Planned) => Begun } {
  const { storeId, at, em, realNow } = tx;
  const { orderId, orderNo } = order;
  const { flowKey, flowVersion } = members[0]!;
  const started = start(tx, order, members);
  const { state } = started;
  const groupId = newId('grp', at);
  em.persist(
    em.create(FlowGroupEntity, { storeId, groupId, orderId, orderNo, flowKey, flowVersion, flowState: state, createdAt: new Date(at) }),
  );
  const run = orderGroupRun({ storeId, groupId, orderItemNo: orderNo, flowKey });
  openRun(tx, { ...run, wakeAt: nearest(state)?.at ?? null, status: state.status, createdAt: realNow });
  return { of: (item) => ({ ...item, groupId, state, started, wakeAt: null }) };
}
