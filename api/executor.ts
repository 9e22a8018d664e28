/** What the worker needs of the API: the executor of approved requests, and nothing else. Wired in worker/main.ts, the composition root. */
import type { Client } from '@temporalio/client';
import { createEgress } from '../activities/providers/egress.ts';
import type { Executor } from '../activities/providers/execution.ts';
import { createProviders } from '../activities/providers/index.ts';
import type { Storage } from '../activities/providers/storage.ts';
import { endpoints } from './endpoints.ts';
import { completed } from './approvals/approvedRequest.ts';
import type { GivenDeps } from './declare/deps.ts';
import { createExecutor } from './approvals/execute.ts';
import { createLoginProvider } from './identity/loginProvider.ts';
import { ThreadPool } from './flows/threadPool.ts';
import { loadTokenKeys } from './callers/tokens.ts';

interface WorkerDeps extends Pick<GivenDeps, 'orm' | 'config' | 'keyring' | 'clock' | 'log' | 'stopping'> {
  readonly temporal: Client;
  readonly storage: Storage;
}
/** Operations get the same dependencies as in the API. */
export async function executorOf(deps: WorkerDeps): Promise<Executor> {
  const { orm, config, keyring, clock, log } = deps;
  const keys = await loadTokenKeys(orm, keyring, config.publicUrl, clock.now());
  deps.stopping.addEventListener('abort', () => keys.close());
  const egress = createEgress({ allowLoopback: config.allowLoopbackWebhooks, dns: config.webhookDns });
  const payments = createProviders(config.payments).providerFor;
  // Who waits in vain is no refusal of what was approved: it is tried again.
  const threads = new ThreadPool(new URL('./flows/thread.ts', import.meta.url), 'TEMPORARILY_UNAVAILABLE');
  const given = { ...deps, keys, egress, payments, threads, login: createLoginProvider(config, log) };
  return createExecutor(completed(given, endpoints), endpoints);
}
