/** The forms of actions: the graph's fields, and those of the built-in endpoint that an action is (F21). */
import type { Action, InputField, PlatformAction } from './graph.ts';

/** The fields of built-in endpoints; their carriers come from orders, which flows do not know. */
export type PlatformFields = Readonly<Partial<Record<PlatformAction, readonly InputField[]>>>;

/** The graph's own fields, then those of the endpoint that the graph does not declare. */
export function formOf({ input: own = [], platform }: Action, built: PlatformFields): readonly InputField[] {
  const fields = platform === undefined ? [] : (built[platform] ?? []);
  return [...own, ...fields.filter(({ key }) => !own.some((field) => field.key === key))];
}
