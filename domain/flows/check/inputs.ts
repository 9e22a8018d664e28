/** Forms of actions: one key has one type, options are there, conditions can hold. And who acts at built-in endpoints. */
import type { Action, InputField } from '../graph/graph.ts';
import { optionsOf } from '../run/inputs.ts';
import { PLATFORM_BY } from '../form/nodeTypes.ts';
import { repeated } from './identity.ts';
import type { Report } from './issues.ts';
import type { View } from './view.ts';

const CHOICES: ReadonlySet<string> = new Set(['select', 'radio', 'checkbox']);

export function checkActions({ graph, context: { platformFields = {} } }: View, { block }: Report): void {
  const types = new Map<string, string>();
  for (const action of graph.actions) {
    const { key: actionKey, platform, by, input = [] } = action;
    if (platform !== undefined && PLATFORM_BY[platform] !== by)
      block('ACTION_ROLE_MISMATCH', { actionKey, field: 'platform' }, `${platform} is an action of the ${PLATFORM_BY[platform]}.`);
    for (const { key } of repeated(input, (field) => field.key))
      block('INPUT_TYPE_CONFLICT', { actionKey, field: `input.${key}` }, 'Two fields of this form have this key.');
    for (const field of input) {
      const known = types.get(field.key);
      if (known !== undefined && known !== field.type)
        block('INPUT_TYPE_CONFLICT', { actionKey, field: `input.${field.key}` }, `${field.key} has the type ${known} elsewhere.`);
      types.set(field.key, known ?? field.type);
      checkField(action, field, platform === undefined ? [] : (platformFields[platform] ?? []), block);
    }
  }
}

function checkField(action: Action, field: InputField, endpointFields: readonly InputField[], block: Report['block']): void {
  const where = { actionKey: action.key, field: `input.${field.key}` };
  const endpointField = endpointFields.find(({ key }) => key === field.key);
  if (endpointField && !suits(field, endpointField))
    block('INPUT_TYPE_CONFLICT', where, `${action.platform!} hands over ${field.key}: as text, or with options of its own endpoint.`);
  if (CHOICES.has(field.type) && !hasOptions(field))
    block('INPUT_OPTIONS_MISSING', where, 'A choice has options, each with a value of its own.');
  if (field.when && !canHold(action, field))
    block('INPUT_WHEN_INVALID', where, 'A condition names an earlier field of the form and values that it takes.');
}

/** Whether what the field takes can be handed over: text, and where the endpoint has options, some of these. */
function suits(field: InputField, endpointField: InputField): boolean {
  if (field.type === 'text' || field.type === 'textarea') return true;
  if (field.type !== 'select' && field.type !== 'radio') return false;
  const taken = optionsOf(endpointField);
  return taken.length === 0 || optionsOf(field).some((option) => taken.includes(option));
}
const hasOptions = (field: InputField): boolean => {
  const options = optionsOf(field);
  return options.length > 0 && new Set(options).size === options.length;
};

function canHold({ input = [] }: Action, field: InputField): boolean {
  const earlier = input.slice(0, input.indexOf(field)).find(({ key }) => key === field.when!.key);
  return earlier !== undefined && field.when!.in.length > 0 && field.when!.in.every((value) => takes(earlier, value));
}
/** Whether a field may have this value; lists equal nothing. */
function takes(field: InputField, value: string | number | boolean): boolean {
  if (field.type === 'checkbox' || field.type === 'image') return false;
  if (field.type === 'number') return Number.isSafeInteger(value);
  if (field.type === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  return field.type === 'select' || field.type === 'radio' ? optionsOf(field).includes(value) : true;
}
