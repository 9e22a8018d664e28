/**
 * The agent policy of operations (docs/contract.md#agents, G3, X16). Until approvals exist, an operation that needs one is refused like a
 * denied one, where the approval would be requested: after the operation's own refusals, before the commit.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Commands } from './commands.ts';
import type { Endpoint } from './endpoint.ts';

/** `direct`: allowed. `approval`: only with a person's approval. `denied`: never. */
export type AgentPolicy = 'direct' | 'approval' | 'denied';

/** An approval that depends on the change: needed when one of the values would change, direct otherwise (G6). */
export interface ByChange {
  /** A description for the OpenAPI document. */
  readonly condition: string;
  /** Fields of the body that need an approval with any value. */
  readonly fields?: readonly string[];
  /** The current values, for a comparison before and after; has to lock their row. */
  readonly values: (tx: Tx, target: { readonly params: Readonly<Record<string, string>> }) => Promise<unknown>;
}

/** The policy of an operation; a change without a declared policy is denied. Reads are always direct (G4). */
export function policyOf({ route, agent = 'denied' }: Pick<Endpoint, 'route' | 'agent'>): AgentPolicy | 'conditional' {
  if (route.startsWith('GET ')) return 'direct';
  return typeof agent === 'string' ? agent : 'conditional';
}

const denied = (operationId: string, reason: string) => new Fault('AGENT_OPERATION_DENIED', { details: { operationId, reason } });

/** AGENT_OPERATION_DENIED for operations that are always denied to agents; before the body is validated. */
export function checkDenied(endpoint: Endpoint, isAgent: boolean): void {
  if (isAgent && policyOf(endpoint) === 'denied') throw denied(endpoint.id, 'RESERVED_TO_PEOPLE');
}

interface Change {
  readonly endpoint: Endpoint;
  readonly tx: Tx;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}
/** Runs an agent's change and throws when it needs an approval, which rolls the transaction back. */
export async function changeWithPolicy<T>({ endpoint, tx, body, params }: Change, work: () => Promise<T>): Promise<T> {
  const { agent, id } = endpoint;
  const rule = typeof agent === 'object' ? agent : null;
  const before = await rule?.values(tx, { params });
  const done = await work();
  await tx.em.flush();
  if (policyOf(endpoint) === 'approval') throw denied(id, 'HIGH_RISK_OPERATION');
  const isSent = rule?.fields?.some((field) => typeof body === 'object' && body !== null && field in body) ?? false;
  if (rule && (isSent || !isDeepStrictEqual(before, await rule.values(tx, { params })))) throw denied(id, 'SENSITIVE_CHANGE');
  return done;
}

/** Commands of an operation that needs an approval: reads work, so that its own refusals come first; sending and storing is refused. */
export const deniedCommands = ({ id }: Endpoint, commands: Commands): Commands => {
  const refuse = () => Promise.reject(denied(id, 'HIGH_RISK_OPERATION'));
  return {
    ...commands,
    forPart: (part) => deniedCommands({ id } as Endpoint, commands.forPart(part)),
    within: (tenant) => deniedCommands({ id } as Endpoint, commands.within(tenant)),
    storeText: refuse,
    send: refuse,
    storeReply: refuse,
  };
};
