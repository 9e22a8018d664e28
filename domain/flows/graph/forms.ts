/** The forms of actions: the graph's fields, and those of the built-in endpoint that an action is. */
import type { Action, InputField, PlatformAction } from './graph.ts';

/** The fields of built-in endpoints; their carriers come from orders, which flows do not know. */
export type PlatformFields = Readonly<Partial<Record<PlatformAction, readonly InputField[]>>>;

/** A field that is asked for as the graph says; what is handed over by it has to suit the endpoint's field too. */
export interface FormField extends InputField {
  readonly endpointField?: InputField;
}

/** The graph's own fields, then those of the endpoint that the graph does not declare. */
export function formOf({ input: own = [], platform }: Action, built: PlatformFields): readonly FormField[] {
  const fields = platform === undefined ? [] : (built[platform] ?? []);
  const declared = own.map((field): FormField => {
    const endpointField = fields.find(({ key }) => key === field.key);
    return endpointField ? { ...field, endpointField } : field;
  });
  return [...declared, ...fields.filter(({ key }) => !own.some((field) => field.key === key))];
}
