/** Graphs out of recipes: what `publishableFlows` draws. */
import type {
  Action,
  Deadline,
  Edge,
  Execution,
  Graph,
  InputField,
  Node,
  Trigger,
  WaitingStatus,
} from '../../../domain/flows/graph/graph.ts';

export interface Extra {
  readonly on: 'seller' | 'buyer' | 'event' | 'at' | 'setting';
  readonly to: 'next' | 'stay' | 'again' | 'back';
  readonly when: string | null;
  readonly run: readonly string[];
  readonly maxUses: number | null;
  readonly hasForm: boolean;
}
interface StateSegment {
  readonly kind: 'state';
  readonly status: WaitingStatus;
  readonly exit: 'time' | 'seller' | 'both';
  readonly extras: readonly Extra[];
  readonly isCancelable: boolean;
  readonly needsFiles: boolean;
}
export type Segment =
  | StateSegment
  | { readonly kind: 'external'; readonly status: WaitingStatus; readonly when: string | null }
  | { readonly kind: 'call'; readonly flow: number; readonly hasDeadline: boolean }
  | { readonly kind: 'parallel'; readonly branches: readonly (readonly Segment[])[]; readonly hasDeadline: boolean };
export interface Recipe {
  readonly first: StateSegment;
  readonly rest: readonly Segment[];
}

interface Building {
  readonly key: string;
  readonly calls: readonly string[];
  readonly states: Node[];
  readonly actions: Action[];
  readonly edges: Edge[];
  made: number;
}
/** A segment with the id of its node, those of the node after it and of the state to go back to. */
interface Slot {
  readonly id: string;
  readonly next: string;
  readonly back: string;
  readonly isInside: boolean;
}

const FORM: readonly InputField[] = [{ key: 'choice', type: 'radio', label: 'choice', required: true, options: ['A', 'B'] }];
/** No state takes it; it declares the input that guards read. */
const QUESTION: Action = { key: 'ask', by: 'buyer', label: 'ask', mode: 'form', input: FORM };

export function buildGraph(key: string, { first, rest }: Recipe, calls: readonly string[]): Graph {
  const building: Building = { key, calls, states: [], actions: [QUESTION], edges: [], made: 0 };
  const segments = [{ ...first, status: 'PAID' as const, needsFiles: false }, ...rest];
  const start = sequence(building, segments, 'done', false);
  building.states.push({ id: 'done', type: 'end', outcome: 'COMPLETED', label: '끝' });
  if (building.edges.some(({ to }) => to === 'canceled'))
    building.states.push({ id: 'canceled', type: 'end', outcome: 'CANCELED', label: '취소' });
  const { states, actions, edges } = building;
  return { schema: 1, start, states, actions, edges };
}

/** Answers the id with which the sequence begins. */
function sequence(building: Building, segments: readonly Segment[], exit: string, isInside: boolean): string {
  const ids = segments.map(({ kind }) => `${kind}${building.made++}`);
  let back = ids.find((_, i) => segments[i]!.kind === 'state') ?? '';
  segments.forEach((segment, i) => {
    const slot = { id: ids[i]!, next: ids[i + 1] ?? exit, back, isInside };
    if (segment.kind === 'state') {
      addState(building, segment, slot);
      back = slot.id;
    } else addAutomatic(building, segment, slot);
  });
  return ids[0] ?? exit;
}

function connect({ edges, key }: Building, from: string, on: Trigger, to: string, more: Partial<Edge> = {}): void {
  edges.push({ id: `${key}:${edges.length}`, from, to, on, ...more });
}

function addAutomatic(building: Building, segment: Exclude<Segment, StateSegment>, { id, next, isInside }: Slot): void {
  const result = (value: Extract<Trigger, { type: 'result' }>['value'], to = next, more: Partial<Edge> = {}) =>
    connect(building, id, { type: 'result', value }, to, more);
  if (segment.kind === 'external') {
    const { status, when } = segment;
    const body = { item: '{{item.id}}', count: '{{item.activeQuantity}}' };
    building.states.push({
      id,
      type: 'external',
      status,
      secret: 'service',
      method: 'POST',
      path: '/',
      body,
      timeoutSeconds: 5,
      saveAs: 'answer',
    });
    if (when !== null && !isInside) result('failed', 'canceled', { when });
    for (const value of ['success', 'skipped', 'failed'] as const) result(value);
    return;
  }
  const deadline = segment.hasDeadline ? { deadline: 'P3D' } : {};
  if (segment.hasDeadline) result('timeout');
  if (segment.kind === 'call') {
    building.states.push({ id, type: 'call', flow: building.calls[segment.flow % building.calls.length]!, ...deadline });
    result('completed');
    return result('canceled', isInside ? next : 'canceled');
  }
  const join = `${id}-join`;
  const branches = segment.branches.map((inner, i) => ({ key: `b${i}`, start: sequence(building, inner, join, true) }));
  building.states.push({ id, type: 'parallel', branches, join, ...deadline }, { id: join, type: 'join' });
  connect(building, join, { type: 'result', value: 'joined' }, next);
}

function addState(building: Building, { status, exit, extras, isCancelable, needsFiles }: StateSegment, slot: Slot): void {
  const { id, next, isInside } = slot;
  const deadlines: Deadline[] = [];
  extras.forEach((extra, i) => addExtra(building, deadlines, extra, slot, `${id}-x${i}`));
  const seller = (name: string, to: string): void => {
    const key = `${id}-${name}`;
    building.actions.push({ key, by: 'seller', label: key });
    connect(building, id, { type: 'seller.action', key }, to);
  };
  if (exit !== 'seller') {
    deadlines.push({ key: 'exit', after: 'P5D' });
    connect(building, id, { type: 'elapsed', deadline: 'exit' }, next);
  }
  if (exit !== 'time') seller('go', next);
  if (isCancelable && !isInside) seller('cancel', 'canceled');
  building.states.push({ id, type: 'state', status, step: 'SELLER_PROCESSING', label: id, deadlines });
  if (!needsFiles) return;
  const files = `${id}-files`;
  seller('upload', files);
  building.states.push({
    id: files,
    type: 'state',
    status,
    step: 'BUYER_ACTION',
    label: files,
    deadlines: [{ key: 'exit', after: 'P2D' }],
    attachments: { min: 1, max: 2 },
  });
  connect(building, files, { type: 'elapsed', deadline: 'exit' }, next);
}

function addExtra(building: Building, deadlines: Deadline[], extra: Extra, { id, next, back }: Slot, key: string): void {
  const by = extra.on;
  const isTimed = by === 'at' || by === 'setting';
  // Time alone never goes round in circles.
  const to = isTimed && extra.to !== 'next' ? 'stay' : extra.to;
  let target = id;
  if (to === 'next') target = next;
  if (to === 'back') target = back;
  const more = {
    ...(extra.when !== null && { when: extra.when }),
    ...(to === 'stay' && { internal: true }),
    run: extra.run.flatMap((name) => executionOf(name, deadlines)),
  };
  if (isTimed) {
    deadlines.push(
      by === 'at'
        ? { key, at: 'order.paidAt + duration("72h")', ...(extra.hasForm && { ifPast: 'skip' as const }) }
        : { key, setting: 'autoDeliverDays' },
    );
    return connect(building, id, { type: 'elapsed', deadline: key }, target, more);
  }
  if (by === 'event') return connect(building, id, { type: 'event', name: `custom.${key}` }, target, more);
  const { maxUses, hasForm } = extra;
  building.actions.push({
    key,
    by,
    label: key.slice(0, 40),
    ...(maxUses !== null && { maxUses }),
    ...(hasForm && { mode: 'form', input: FORM }),
  });
  connect(building, id, { type: `${by}.action`, key }, target, more);
}

function executionOf(name: string, deadlines: readonly Deadline[]): Execution[] {
  if (name === 'refund') return [{ type: 'refund' }];
  if (name === 'deduct') return [{ type: 'refund', deduct: 'pct(refundable, 10)' }];
  if (name === 'notify') return [{ type: 'notify', name: 'told', to: 'buyer', message: '{{inputs.choice}}' }];
  if (name === 'extend') return deadlines[0] ? [{ type: 'deadline.extend', deadline: deadlines[0].key, by: 'P1D' }] : [];
  return [{ type: name as 'tracking.start' }];
}
