/** What an operation declares of agents (docs/contract.md#agents). */
import type { Change } from '../../domain/audit/changes.ts';

/** `direct`: allowed. `approval`: only with a person's approval. `denied`: never. */
export type AgentPolicy = 'direct' | 'approval' | 'denied';

/** A policy that depends on what would change. */
export interface ByChange {
  /** In words, for the OpenAPI document. */
  readonly condition: string;
  readonly decide: (changes: readonly Change[], body: Readonly<Record<string, unknown>>) => AgentPolicy;
}
