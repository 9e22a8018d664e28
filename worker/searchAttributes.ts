import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/kernel/attributes.ts';

/** Temporal's names for the types of attributes that we use. */
const TYPES = { KEYWORD: 2, DATETIME: 6 } as const;

/** Registers what runs are filtered by, where the server does not know it yet: without it no run can start. */
export async function registerSearchAttributes(
  { operatorService }: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = searchAttributes.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length === 0) return;
  const wanted = Object.fromEntries(missing.map(({ name, type }) => [name, TYPES[type]]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes: wanted });
}
