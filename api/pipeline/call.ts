/** What a handler is given, for a change and for its dry run. */
import type { Outgoing } from '../declare/answer.ts';
import type { Request } from '../declare/request.ts';
import { type Judgement, rehearse } from '../preview/rehearse.ts';

export const outgoingOf = ({ endpoint }: Request): Outgoing => ({ status: endpoint.status ?? 200, headers: {} });

type Outside = <T>(act: () => Promise<T>, instead: T) => Promise<T>;
export const callOf = ({ incoming, deps, caller, input }: Request, outgoing: Outgoing, outside: Outside = (act) => act()) => ({
  ...caller,
  ...input,
  deps,
  setHeader: (name: string, value: string) => void (outgoing.headers[name] = value),
  setStatus: (status: number) => void (outgoing.status = status),
  header: (name: string) => incoming.header(name.toLowerCase()) ?? '',
  gone: incoming.gone,
  outside,
});
export type CallInput = ReturnType<typeof callOf>;

/** The dry run of a request that has passed every check; refusals are those of the real one. */
export async function rehearsed(request: Request): Promise<Judgement> {
  const { endpoint } = request;
  const call = callOf(request, outgoingOf(request), (_, instead) => Promise.resolve(instead));
  return rehearse(request, call, await endpoint.prepare?.(call));
}
