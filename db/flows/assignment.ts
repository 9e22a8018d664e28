/** Flows of products and categories. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { findFlow } from './stored.ts';

/** FLOW_NOT_FOUND, FLOW_NOT_PUBLISHED. What is published stays so. */
export async function checkAssignable(tx: Tx, flowId: string): Promise<void> {
  if ((await findFlow(tx, flowId)).latestVersion === 0) throw new Fault('FLOW_NOT_PUBLISHED');
}
