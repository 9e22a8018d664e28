import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/kernel/attributes.ts';

/** Temporal's names for the types of attributes that we use. */
const TYPES = { KEYWORD: 2, DATETIME: 6 } as const;
type Server = Pick<NativeConnection, 'operatorService'>;

/** Registers what runs are filtered by, where the server does not know it yet: without it no run can start. */
export async function registerSearchAttributes(server: Server, namespace: string): Promise<void> {
  const { customAttributes } = await server.operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length > 0) await addSearchAttributes(server, namespace, missing);
}

/** Registers attributes that the server does not know. */
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
