/** What a change is about, and what GET shows of it: for previews, for conditions of agents' changes, and for the audit log. */
import type { Listing } from '../../domain/audit/changes.ts';
import type { TargetType } from '../../domain/audit/targets.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import type { TSchema } from './schema.ts';

/** The request whose subject is read, and its transaction. */
export interface Viewed {
  readonly caller: Caller;
  readonly deps: ApiDeps;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}
/** A type of resource. */
export interface Subject {
  readonly type: TargetType;
  /** The path parameter, or the field of a creation's answer, that is its id; null: the store. */
  readonly idField: string | null;
  /** Its id where no parameter names it. */
  readonly id?: string;
  readonly listing: Listing;
  /** The schema of `read`: where an operation answers with it, its answer is what GET would show afterwards. */
  readonly data: TSchema | null;
  /** Locks it for a change, so that nobody else's is taken for this one's. */
  readonly lock?: (tx: Tx, id: string) => Promise<unknown>;
  /**
   * What others write without its lock is no change of this transaction: the image after the work, with their writes as they were before.
   */
  readonly ownChanges?: (tx: Tx, id: string, before: object, after: object) => Promise<object>;
  /** What GET shows; null or a 404 when there is none. */
  readonly read: (tx: Tx, id: string, viewed: Viewed) => Promise<object | null>;
  /** What it reads is plain JSON already: no dates, nothing undefined. */
  readonly isPlain?: true;
}
/** A bulk operation's subjects: the ids in its body. */
export interface Subjects {
  readonly each: Subject;
  readonly ids: (body: never) => readonly string[];
  /** What the operation may change of them, in one query; absent: each is read as GET shows it. */
  readonly readAll?: (tx: Tx, ids: readonly string[]) => Promise<ReadonlyMap<string, object>>;
}
export const isBulk = (target: Subject | Subjects | undefined): target is Subjects => target !== undefined && 'each' in target;
