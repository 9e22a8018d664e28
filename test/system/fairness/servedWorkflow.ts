import { proxyActivities } from '@temporalio/workflow';

const { served } = proxyActivities<{ served(storeId: string): Promise<void> }>({ startToCloseTimeout: '1m' });

/** A run of a store without our code: one ordinary activity. */
export async function servedRun({ storeId }: { readonly storeId: string }): Promise<void> {
  await served(storeId);
}
