/** What sellers and buyers see of an item's flow: state, actions, branches, the buyer's step. */
import { type ActionView, actions } from '../../../domain/flows/run/actions.ts';
import { type Flow, labelOf } from '../../../domain/flows/run/flow.ts';
import { formOf } from '../../../domain/flows/graph/forms.ts';
import type { Action, Deadline, InputField, Node, StepType } from '../../../domain/flows/graph/graph.ts';
import { slowedUntil } from '../../../domain/flows/run/pace.ts';
import { leaves, moving, nearest, type Location, locationOf, statusOfPosition } from '../../../domain/flows/run/positions.ts';
import type { FlowState, Position } from '../../../domain/flows/run/state.ts';
import { isBefore, type PublicStatus } from '../../../domain/flows/graph/status.ts';
import { renderText, type TemplateValues } from '../../../domain/flows/graph/templates.ts';
import { korean } from '../../../domain/kernel/time.ts';
import { PLATFORM_FIELDS } from '../../../domain/orders/platform.ts';
import { flowOf } from '../../flows/loaded.ts';
import type { OrderItem } from '../entities.ts';
import { flowStateOf } from './states.ts';

type Viewer = 'seller' | 'buyer';
const at = (time: number | null): string | null => (time === null ? null : korean(time));

/** The shipment, or the provision, without its times. */
function handedOver({ fulfillment, dispatch }: OrderItem): TemplateValues['fulfillment'] {
  const provided = fulfillment && { status: fulfillment.status, note: fulfillment.note };
  const { deliveryMethod, carrierCode, trackingNumber } = dispatch ?? {};
  return { ...provided, ...(dispatch && { deliveryMethod, carrierCode, trackingNumber }) };
}

/** Of items that move together, the one that templates tell of: the first that moves. */
export const itemOfTemplates = (items: readonly OrderItem[], state: FlowState): OrderItem =>
  items.find(({ orderItemId }) => moving(state).some(({ id }) => id === orderItemId)) ?? items[0]!;

/** What messages may name. */
export const templateValues = (item: OrderItem): TemplateValues => ({
  inputs: flowStateOf(item).inputs ?? {},
  data: flowStateOf(item).data ?? {},
  item: {
    orderItemId: item.orderItemId,
    orderItemNo: item.orderItemNo,
    productName: item.productName,
    optionLabel: item.optionLabel ?? null,
    quantity: item.quantity,
    activeQuantity: item.quantity - item.canceledQuantity,
    unitPrice: item.unitPriceWon,
    totalPrice: item.totalPriceWon,
    option: item.flowFacts?.option ?? {},
    stay: item.stay ?? null,
  },
  fulfillment: handedOver(item),
});

/** The longest message, in UTF-16 code units: it stands in every list that shows its item. */
const LONGEST_MESSAGE = 4000;
const messageOf = (item: OrderItem, node: Node): string | null =>
  node.type === 'state' && node.message !== undefined ? renderText(node.message, templateValues(item), { max: LONGEST_MESSAGE }) : null;

/** The deadline that is nearest; hidden ones are for sellers' eyes. */
function deadlineOf({ node, position }: Location, viewer: Viewer): number | null {
  const isHidden = (key: string) =>
    viewer === 'buyer' && node.type === 'state' && (node.deadlines ?? []).some((d: Deadline) => d.key === key && d.hidden === true);
  const armed = position.due.flatMap(({ key, at: due }) => (due === null || isHidden(key) ? [] : [due]));
  return armed.length === 0 ? null : Math.min(...armed);
}
function nearestOf(item: OrderItem, flow: Flow, viewer: Viewer): number | null {
  const state = flowStateOf(item);
  if (viewer === 'seller') return nearest(state)?.at ?? null;
  const all = state.positions.flatMap((position) => deadlineOf(locationOf(flow, position), viewer) ?? []);
  return all.length === 0 ? null : Math.min(...all);
}

/** Running positions in parallel branches and subflows; none while the main position runs alone. */
function viewBranches(item: OrderItem, flow: Flow, viewer: Viewer) {
  const state = flowStateOf(item);
  if (state.positions.length === 1) return [];
  return leaves(flow, state).map((location) => ({
    branch: branchOf(location.position, state.positions),
    key: location.node.id,
    name: labelOf(location.node),
    status: statusOfPosition(flow, location.position),
    message: messageOf(item, location.node),
    deadlineAt: at(deadlineOf(location, viewer)),
  }));
}
/** The branch that a position runs in, below subflows too; null in a subflow outside branches. */
function branchOf({ branch, parent }: Position, positions: readonly Position[]): string | null {
  if (branch !== undefined) return branch;
  const above = positions.find(({ id }) => id === parent);
  return above ? branchOf(above, positions) : null;
}

/** Where an item is in its flow. Buyers see only what buyers sent, and no data blocks. */
export function viewFlowState(item: OrderItem, viewer: Viewer) {
  const flow = flowOf(item);
  const state = flowStateOf(item);
  const stands = state.members.find(({ id }) => id === item.orderItemId)?.standsAt;
  const { node } = locationOf(flow, state.positions[0]!);
  const inputs = Object.entries(state.inputs ?? {});
  const shown = viewer === 'seller' ? inputs : inputs.filter(([key]) => state.buyerKeys?.includes(key));
  return {
    key: stands?.node ?? node.id,
    name: stands?.label ?? labelOf(node),
    message: stands ? null : messageOf(item, node),
    deadlineAt: stands ? null : at(nearestOf(item, flow, viewer)),
    attachments: state.positions.flatMap(({ attachments = [] }) => attachments),
    earlierAttachments: [...(state.earlierAttachments ?? [])],
    inputs: Object.fromEntries(shown),
    branches: stands ? [] : viewBranches(item, flow, viewer),
  };
}

/** With the data blocks, and until when the next move by itself has to wait. */
export const viewSellersFlowState = (item: OrderItem) => {
  const state = flowStateOf(item);
  return { ...viewFlowState(item, 'seller'), slowedUntil: at(slowedUntil(state)), data: { ...state.data } };
};

const viewField = ({ key, type, label, required, maxLength, min, max, maxFiles, options, when }: InputField) => ({
  key,
  type,
  label,
  required: required ?? false,
  maxLength: maxLength ?? null,
  min: min ?? null,
  max: max ?? null,
  maxFiles: maxFiles ?? null,
  options: options?.map((option) => (typeof option === 'string' ? { value: option, label: option } : option)) ?? null,
  when: when ? { key: when.key, in: [...when.in] } : null,
});
/** The fields of an action's form, the same object for all items of the flow. */
const forms = new WeakMap<Action, readonly ReturnType<typeof viewField>[]>();
function viewForm(action: Action, fields: readonly InputField[]): ReturnType<typeof viewField>[] {
  const form = forms.get(action) ?? fields.map(viewField);
  forms.set(action, form);
  return form as ReturnType<typeof viewField>[];
}
/** A form is one that has fields. */
const modeOf = (action: Action, fields: readonly InputField[]): 'button' | 'form' => action.mode ?? (fields.length > 0 ? 'form' : 'button');
function viewAction({ action, reason }: ActionView) {
  const fields = formOf(action, PLATFORM_FIELDS);
  return {
    key: action.key,
    label: action.label,
    by: action.by,
    mode: modeOf(action, fields),
    enabled: reason === null,
    disabled: reason === null ? null : { reason: reason as string },
    input: viewForm(action, fields),
  };
}
export type ViewedAction = ReturnType<typeof viewAction>;

/** `actions[]`. */
export const viewActions = (item: OrderItem, whose: readonly Viewer[] = ['seller', 'buyer']): ViewedAction[] =>
  whose.flatMap((by) => actions(flowOf(item), flowStateOf(item), by, item.orderItemId).map(viewAction));

/** Actions of the flow that buyers find in the item's actions and not in its step. */
const NOT_IN_STEP: ReadonlySet<string | undefined> = new Set(['decide', 'extend']);
const ENDED: Readonly<Partial<Record<PublicStatus, StepType>>> = {
  PURCHASE_DECIDED: 'COMPLETED',
  EXCHANGED: 'COMPLETED',
  CANCELED: 'CANCELED',
  RETURNED: 'CANCELED',
};
function stepType(item: OrderItem, flow: Flow): StepType | 'CLAIM_IN_PROGRESS' {
  const state = flowStateOf(item);
  if (state.claims.some(({ member }) => member === item.orderItemId)) return 'CLAIM_IN_PROGRESS';
  const end = ENDED[item.status];
  if (end) return end;
  const running = leaves(flow, state).map(({ node, position }) => ({
    type: node.type === 'state' ? node.step : ('SELLER_PROCESSING' as const),
    status: statusOfPosition(flow, position),
  }));
  const buyer = running.find(({ type }) => type === 'BUYER_ACTION');
  return (buyer ?? running.reduce((min, one) => (isBefore(one.status, min.status) ? one : min))).type;
}

/** What a buyer sees of the item's step. `claimable`: whether a cancel, return or exchange is enabled now. */
export function viewStep<D>(item: OrderItem, { claimable, delivery }: { readonly claimable: boolean; readonly delivery: D | null }) {
  const flow = flowOf(item);
  const { name, message, deadlineAt, attachments } = viewFlowState(item, 'buyer');
  const own = actions(flow, flowStateOf(item), 'buyer', item.orderItemId).filter(({ action }) => !NOT_IN_STEP.has(action.platform));
  return {
    type: stepType(item, flow),
    label: name,
    message,
    deadlineAt,
    attachments,
    actions: own.map(viewAction).map(({ key, label, mode, enabled, input }) => ({ key, label, mode, enabled, input })),
    data: { delivery },
    claimable,
  };
}
