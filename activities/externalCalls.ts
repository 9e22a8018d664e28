import type { ExternalCall, ExternalResult } from '../domain/orders/messages.ts';
import type { ActivityDeps } from './kernel/deps.ts';

export const askExternal =
  (_deps: ActivityDeps) =>
  (_call: { readonly storeId: string; readonly input: ExternalCall['input'] }): Promise<{ readonly result: ExternalResult }> =>
    Promise.resolve({ result: 'skipped' });
