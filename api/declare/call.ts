/** What a handler is given, for a change and for its dry run. */
import type { Outgoing } from './answer.ts';
import type { Request } from './request.ts';

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
