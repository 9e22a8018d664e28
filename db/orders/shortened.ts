/**
 * Items among others: what a flow may hold much of is left out where it is more than a list carries (F46). The item's own answer has all.
 */

/** What an item among others shows of its flow, as JSON. */
const SHOWN_BYTES = 6 * 1024;
/** Then messages are cut here. */
const MESSAGE_LENGTH = 200;

interface Branch {
  readonly message: string | null;
}
interface ActionView {
  readonly input: readonly unknown[];
}
interface FlowView {
  readonly flowState: {
    readonly message: string | null;
    readonly inputs: object;
    readonly data?: object;
    readonly attachments: readonly string[];
    readonly earlierAttachments: readonly string[];
    readonly branches: readonly Branch[];
  };
  readonly step?: { readonly message: string | null; readonly attachments: readonly string[]; readonly actions: readonly ActionView[] };
  readonly actions: readonly ActionView[];
}

const cut = <T extends { readonly message: string | null }>(shown: T): T => ({
  ...shown,
  message: shown.message && shown.message.slice(0, MESSAGE_LENGTH).toWellFormed(),
});
const withoutForm = <T extends ActionView>(action: T): T => ({ ...action, input: [] });
const changed = <V extends FlowView>(view: V, state: Partial<FlowView['flowState']>): V => ({
  ...view,
  flowState: { ...view.flowState, ...state },
});
/** What is left out first comes first: what nobody reads in a list, then what is long. */
const CUTS: readonly (<V extends FlowView>(view: V) => V)[] = [
  (view) => changed(view, view.flowState.data ? { data: {} } : {}),
  (view) => changed(view, { earlierAttachments: [] }),
  (view) => changed(view, { inputs: {} }),
  (view) => ({
    ...view,
    actions: view.actions.map(withoutForm),
    ...(view.step && { step: { ...view.step, actions: view.step.actions.map(withoutForm) } }),
  }),
  (view) => ({
    ...changed(view, { ...cut(view.flowState), branches: view.flowState.branches.map(cut) }),
    ...(view.step && { step: cut(view.step) }),
  }),
  (view) => ({ ...changed(view, { attachments: [] }), ...(view.step && { step: { ...view.step, attachments: [] } }) }),
  (view) => changed(view, { branches: [] }),
];

/** Data blocks and forms are those of a group or of a flow, and measured once. */
const measured = new WeakMap<object, number>();
const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return 8;
  const bytes = measured.get(value) ?? textBytes(value);
  measured.set(value, bytes);
  return bytes;
}
const valuesBytes = (values: object): number =>
  Object.entries(values).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + jsonBytes(value), 0);
const formsBytes = (actions: readonly ActionView[]): number =>
  actions.reduce((sum, { input, ...action }) => sum + textBytes(action) + jsonBytes(input), 0);
function bytesOf({ flowState: { inputs, data = {}, ...state }, step, actions }: FlowView): number {
  const { actions: shown = [], ...rest } = step ?? {};
  return textBytes([state, rest]) + valuesBytes(inputs) + valuesBytes(data) + formsBytes(actions) + formsBytes(shown);
}

/** The view itself where it is short; else with as little left out as makes it short, and `truncated`. */
export function shortened<V extends FlowView & { readonly truncated: boolean }>(view: V): V {
  let shown = view;
  for (const without of CUTS) {
    if (bytesOf(shown) <= SHOWN_BYTES) break;
    shown = without(shown);
  }
  return shown === view ? view : { ...shown, truncated: true };
}
