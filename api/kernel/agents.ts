/**
 * What an agent may do with an operation (docs/contract.md#agents, G3, X16). Until there are approvals, what needs one is refused like what
 * is denied, at the place where it would be asked for: after the refusals of the operation itself, before anything remains of it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Em } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Commands } from './commands.ts';
import type { Endpoint } from './endpoint.ts';

/** `direct`: itself. `approval`: with a person's. `denied`: not at all. */
export type AgentPolicy = 'direct' | 'approval' | 'denied';

/** An approval that depends on values: it is needed when one of them would change, and direct otherwise (G6). */
export interface ByChange {
  /** In words, for the document. */
  readonly condition: string;
  /** Fields of the body that need it whatever they say. */
  readonly fields?: readonly string[];
  /** The values as they are now, for comparison; what they stand in is locked until the transaction ends. */
  readonly values: (em: Em, target: { readonly storeId: string; readonly params: Readonly<Record<string, string>> }) => Promise<unknown>;
}

/** The policy in one word; nothing is an agent's that is not declared to be. Reading knows no policy (G4). */
export function policyOf({ route, agent = 'denied' }: Pick<Endpoint, 'route' | 'agent'>): AgentPolicy | 'conditional' {
  if (route.startsWith('GET ')) return 'direct';
  return typeof agent === 'string' ? agent : 'conditional';
}

const denied = (operationId: string, reason: string) => new Fault('AGENT_OPERATION_DENIED', { details: { operationId, reason } });

/** Operations that are always denied to agents: before their body is looked at. */
export function checkDenied(endpoint: Endpoint, isAgent: boolean): void {
  if (isAgent && policyOf(endpoint) === 'denied') throw denied(endpoint.id, 'RESERVED_TO_PEOPLE');
}

interface Change {
  readonly endpoint: Endpoint;
  readonly em: Em;
  readonly storeId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}
/** Does the work of an agent's change, and refuses it when it needs an approval: the transaction undoes it. */
export async function judgedChange<T>({ endpoint, em, body, ...target }: Change, work: () => Promise<T>): Promise<T> {
  const { agent, id } = endpoint;
  const rule = typeof agent === 'object' ? agent : null;
  const before = await rule?.values(em, target);
  const done = await work();
  await em.flush();
  if (policyOf(endpoint) === 'approval') throw denied(id, 'HIGH_RISK_OPERATION');
  const isSent = rule?.fields?.some((field) => typeof body === 'object' && body !== null && field in body) ?? false;
  if (rule && (isSent || !isDeepStrictEqual(before, await rule.values(em, target)))) throw denied(id, 'SENSITIVE_CHANGE');
  return done;
}

/** Commands of an operation that needs an approval: it reads and refuses as ever, and sends and keeps nothing. */
export const judgedCommands = ({ id }: Endpoint, commands: Commands): Commands => {
  const refuse = () => Promise.reject(denied(id, 'HIGH_RISK_OPERATION'));
  return {
    ...commands,
    forPart: (part) => judgedCommands({ id } as Endpoint, commands.forPart(part)),
    within: (tenant) => judgedCommands({ id } as Endpoint, commands.within(tenant)),
    keepText: refuse,
    send: refuse,
    remember: refuse,
  };
};
