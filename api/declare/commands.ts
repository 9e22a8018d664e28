/** Commands to runs, as handlers send them (pipeline/commands.ts). */
import type { Tx } from '../../db/kernel/tx.ts';
import type { OperationKey, StoredReply } from '../../db/runs/operations.ts';
import type { Tenant } from '../../db/stores/queries.ts';
import type { Target } from '../../domain/audit/targets.ts';
import type { CommandContent, WorkflowType } from '../../workflows/kernel/messages.ts';
import type { RunName } from '../../workflows/kernel/start.ts';

/** Real milliseconds in which a command is answered, or has done nothing. */
export const COMMAND_MS = 8000;

export interface Commands {
  /** The idempotency key of the reply. */
  readonly operation: OperationKey;
  /** The same with a derived key, for one of several commands of a request: it records its part of the request. */
  forPart(part: string): Commands;
  /** The same in another store, which was found from the request, and about this target, which the path does not name. */
  within(tenant: Tenant, target: Target): Commands;
  /** The reply stored under this key, or null. */
  stored(): Promise<StoredReply | null>;
  /** Stores a reply under the client's key, if it sent one. */
  storeReply(reply: StoredReply): Promise<void>;
  /** Stores text of a person for the transition; returns its id. */
  storeText(text: string): Promise<string>;
  /** Runs `work` in a short transaction. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Sends a command to its run and returns the reply that its transition stored. Refusals are Faults. */
  send<T extends WorkflowType>(run: RunName<T>, command: CommandContent<T>): Promise<StoredReply>;
}
