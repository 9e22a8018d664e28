/** Computations of graphs in a thread, for operations: what they need is read first, in a transaction that ends before. */
import { type Tx, inTenant, READ } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import type { Ended } from '../declare/ports.ts';
import type { Computation, Results } from './compute.ts';

/** The call of an operation, before its transaction. */
export interface Computing extends Caller {
  readonly deps: ApiDeps;
  readonly gone: () => AbortSignal;
}
type Of<T extends Computation['type']> = Extract<Computation, { readonly type: T }>;
interface Options {
  readonly onProgress?: (progress: unknown) => void;
  readonly cpuMs?: number;
}

/** TOO_MANY_REQUESTS where it is not its turn in time, and whatever `read` refuses. `died`: by which bound its thread was ended. */
export async function computed<T extends Computation['type']>(
  call: Computing,
  read: (tx: Tx) => Promise<Of<T>>,
  options: Options = {},
): Promise<{ readonly result: Results[T] } | { readonly died: 'TIME' | 'SIZE' }> {
  const { deps, storeId, gone } = call;
  const ended: Ended = await deps.threads.run({ storeId, gone: gone(), read: () => inTenant(deps.orm, call, READ, read), ...options });
  if ('died' in ended) {
    deps.log.warn({ storeId, died: ended.died }, 'a thread was ended');
    return ended;
  }
  return { result: ended.result as Results[T] };
}

/** Of what is answered as a whole or not at all: it has always ended long before, unless the machine has no time for it. */
export async function whole<T extends Computation['type']>(
  call: Computing,
  read: (tx: Tx) => Promise<Of<T>>,
  options: Options = {},
): Promise<Results[T]> {
  const ended = await computed(call, read, options);
  if ('died' in ended) throw new Fault('TEMPORARILY_UNAVAILABLE');
  return ended.result;
}

/** Of a picture: laying out 300 boxes takes up to three seconds. */
const DRAW_CPU_MS = 8000;
export const drawn = (call: Computing, read: (tx: Tx) => Promise<Omit<Of<'draw'>, 'type'>>): Promise<string> =>
  whole(call, async (tx) => ({ type: 'draw', ...(await read(tx)) }), { cpuMs: DRAW_CPU_MS });
