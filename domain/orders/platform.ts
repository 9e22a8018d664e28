/** The built-in actions of order items as parts of flows: their fields, and what an action's input says of them. */
import { isVisible } from '../kernel/text.ts';
import type { PlatformFields } from '../flows/graph/forms.ts';
import type { ActionPayload, ItemCommand } from './messages.ts';
import { CARRIERS, DELIVERY_METHODS, type DeliveryMethod } from './rules.ts';

const MAX_TRACKING_NUMBER = 40;
const TRACKING_NUMBER = '^[0-9A-Za-z-]+$';
const MAX_NOTE = 1000;

const CARRIED = { key: 'deliveryMethod', in: ['COURIER', 'QUICK'] } as const;
const METHOD_LABELS: Readonly<Record<DeliveryMethod, string>> = {
  COURIER: '택배',
  DIRECT: '직접 배송',
  QUICK: '퀵서비스',
  NONE: '배송 없음',
};
export const PLATFORM_FIELDS: PlatformFields = {
  dispatch: [
    {
      key: 'deliveryMethod',
      type: 'select',
      label: '배송 방법',
      required: true,
      options: DELIVERY_METHODS.map((value) => ({ value, label: METHOD_LABELS[value] })),
    },
    {
      key: 'carrierCode',
      type: 'select',
      label: '택배사',
      required: true,
      options: Object.entries(CARRIERS).map(([value, label]) => ({ value, label })),
      when: CARRIED,
    },
    {
      key: 'trackingNumber',
      type: 'text',
      label: '운송장 번호',
      required: true,
      maxLength: MAX_TRACKING_NUMBER,
      pattern: TRACKING_NUMBER,
      when: CARRIED,
    },
  ],
  fulfill: [{ key: 'note', type: 'textarea', label: '메모', maxLength: MAX_NOTE }],
};

/** As simulations and replays ask for them: what an endpoint demands of its fields was, or will be, judged there. */
export const OPTIONAL_PLATFORM_FIELDS: PlatformFields = Object.fromEntries(
  Object.entries(PLATFORM_FIELDS).map(([key, fields]) => [key, fields.map((field) => ({ ...field, required: false }))]),
);

/**
 * The endpoints whose action is judged with what they were sent, and the text of it that a person types, by the input that carries its id.
 */
const TYPED: Readonly<Partial<Record<ItemCommand['name'], string>>> = { dispatch: 'trackingNumberId', fulfill: 'noteId', move: 'reasonId' };

/** The id of the text that is handed to the action's form; undefined: the command has none. */
export const typedIdOf = ({ name, input }: ItemCommand): string | undefined =>
  (input as Readonly<Record<string, string | undefined>>)[TYPED[name] ?? ''];

/**
 * What an endpoint hands to the form of its action, which may declare its fields: the same before the command is sent and when it is
 * carried out. `text`: what was typed. Undefined: nothing.
 */
export function handedInput({ name, input }: ItemCommand, text: string | null): ActionPayload['input'] | undefined {
  const field = TYPED[name];
  if (field === undefined) return undefined;
  const plain = Object.entries(input).filter(([key, value]) => key !== field && key !== 'orderItemId' && value !== undefined);
  return Object.fromEntries([...plain, ...(text === null ? [] : [[field.replace(/Id$/, ''), text] as const])]);
}

/** A dispatch as an accepted action's input tells it. */
export function dispatchInput(input: Readonly<Record<string, unknown>>) {
  const text = (key: string): string | null => (typeof input[key] === 'string' && isVisible(input[key]) ? input[key] : null);
  const method = text('deliveryMethod');
  const deliveryMethod = DELIVERY_METHODS.find((known) => known === method) ?? 'NONE';
  return { deliveryMethod, carrierCode: text('carrierCode'), trackingNumber: text('trackingNumber') };
}
