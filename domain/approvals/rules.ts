/** Approval requests: what an agent asks for and a person decides (docs/contract.md#approvals). */
import { type Change, pathOf } from '../audit/changes.ts';
import type { Target } from '../audit/targets.ts';
import { canonicalJson } from '../kernel/canonical.ts';
import { covers, type Role, ROLE_SCOPES } from '../identity/rules.ts';
import { DAY, MINUTE, SECOND } from '../kernel/time.ts';

export const APPROVAL_STATUSES = ['PENDING', 'EXECUTING', 'SUCCEEDED', 'FAILED', 'UNKNOWN', 'REJECTED', 'EXPIRED'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
export const APPROVER_ROLES = ['OWNER', 'ADMIN'] as const;
export type ApproverRole = (typeof APPROVER_ROLES)[number];
/** Through which door it was decided. */
export type DecisionChannel = 'CONSOLE' | 'MCP_ELICITATION';
export type Verdict = 'APPROVE' | 'REJECT';

/** A request may be decided for this long, by the store's clock (G21). */
export const PENDING_MS = DAY;
/** A once-shown secret of a result is shown for this long after the decision. */
export const SECRET_MS = DAY;
/** Requests and their keys are retained for this long. */
export const RETENTION_MS = 365 * DAY;
/** An execution without an answer is tried again under its key for this long; no try begins later (G27). */
export const RETRY_MS = MINUTE;
/** The answer of one that is UNKNOWN is looked up for this long. */
export const SEARCH_MS = DAY;
/** So many requests wait at once: of one principal, and of a store. */
export const MAX_PENDING = { principal: 100, store: 1000 } as const;
/** Whoever is refused because of them tries again after an hour at the latest: people decide in between. */
export const MAX_RETRY_MS = 60 * MINUTE;
/** Mails of a store are at least this far apart, by its clock. */
export const NOTICE_GAP_MS = 10 * MINUTE;

/** The gap after try `n` (from 1) of an execution. */
export const executionGap = (n: number): number => Math.min(SECOND * 2 ** (n - 1), 10 * SECOND);
/** The gap between look-ups of an UNKNOWN execution that was approved so long ago. */
export const searchGap = (passed: number): number => Math.min(Math.round(passed / 2), 15 * MINUTE);

/** Whether it can change no more without an operator; an UNKNOWN one is looked up for a day. */
export const isDecided = (status: ApprovalStatus): boolean => status !== 'PENDING' && status !== 'EXECUTING';

/** As it is shown: a request whose time is over is EXPIRED, also before its run has woken. */
export const shownStatus = (status: ApprovalStatus, expiresAt: number, at: number): ApprovalStatus =>
  status === 'PENDING' && expiresAt <= at ? 'EXPIRED' : status;

/** What approving needs: the least role, and the scopes of the operation. */
export interface ApproverNeeds {
  readonly approverRole: ApproverRole;
  readonly requiredScopes: readonly string[];
}
export const mayApproveAs = (role: Role | null, approverRole: ApproverRole): boolean =>
  role === 'OWNER' || (role === 'ADMIN' && approverRole === 'ADMIN');
export const missingScopes = (granted: readonly string[], required: readonly string[]): string[] =>
  required.filter((scope) => !covers(granted, scope));
/** Whether a member could approve it, with all scopes of their role. */
export const couldApprove = (role: Role, needs: ApproverNeeds): boolean =>
  mayApproveAs(role, needs.approverRole) && missingScopes(ROLE_SCOPES[role], needs.requiredScopes).length === 0;

/** What must still live when the request is carried out: never a token itself. */
export type TokenRef =
  | { readonly kind: 'apiToken'; readonly tokenId: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly scopes: readonly string[] }
  | {
      readonly kind: 'login';
      readonly userId: string;
      readonly loginId: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
      /** When the membership began, in real ms, where the token belongs to one; null: to whichever there is. */
      readonly joinedAt: number | null;
    };

/** What was sent, as far as a preview shows it. It is the same as long as the request is. */
export interface SentRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The names of what is too long, secret or personal. */
  readonly unshown: string[];
  /** Of operation, path, query, body and If-Match. */
  readonly digest: string;
}
/** What the change would do, as its dry run told. */
export interface Preview {
  readonly operationId: string;
  readonly target: Target | null;
  readonly changes: readonly Change[];
  readonly facts: Readonly<Record<string, unknown>>;
  /** Absent: of a dry run, and of requests that were made by a version before. */
  readonly request?: SentRequest;
}
/** The changes that an approval depends on: without the fields that others move apart (`levels`). */
export const comparedOf = (changes: readonly Change[], levels: readonly string[]): readonly Change[] =>
  changes.filter(({ field }) => !levels.includes(pathOf(field)));

/**
 * Whether both previews of one request tell the same target, changes and facts. `levels`: the paths and facts that others move apart, which
 * are not compared (G51).
 */
export function isSamePreview(one: Preview, other: Preview, levels: readonly string[] = []): boolean {
  const left = new Set(levels);
  const compared = ({ operationId, target, changes, facts }: Preview) =>
    canonicalJson({
      operationId,
      target,
      changes: comparedOf(changes, levels),
      facts: Object.fromEntries(Object.entries(facts).filter(([name]) => !left.has(name))),
    });
  return compared(one) === compared(other);
}
