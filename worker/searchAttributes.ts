import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/kernel/attributes.ts';

/** Temporal's numbers of the attribute types that we use (IndexedValueType). */
const TYPES = { KEYWORD: 2, DATETIME: 6 } as const;
type Server = Pick<NativeConnection, 'operatorService'>;

/** Registers our search attributes where the namespace lacks them: without them no workflow can start. */
export async function registerSearchAttributes(server: Server, namespace: string): Promise<void> {
  const { customAttributes } = await server.operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length > 0) await addSearchAttributes(server, namespace, missing);
}

/** Registers search attributes that the namespace lacks. */
export async function addSearchAttributes(
  { operatorService }: Server,
  namespace: string,
  wanted: readonly (typeof searchAttributes)[number][] = searchAttributes,
): Promise<void> {
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(wanted.map(({ name, type }) => [name, TYPES[type]])),
  });
}
