/** Problems of a graph: where they are, and which of them keep it from being published. */
import type { Range } from '../expressions/errors.ts';

export type BlockingCode =
  | 'NODE_DUPLICATE'
  | 'EDGE_DUPLICATE'
  | 'ACTION_DUPLICATE'
  | 'GRAPH_TOO_LARGE'
  | 'START_INVALID'
  | 'EDGE_DANGLING'
  | 'EDGE_FROM_END'
  | 'EDGE_INTERNAL_TARGET'
  | 'TRIGGER_NOT_APPLICABLE'
  | 'EDGE_SHADOWED'
  | 'EVENT_UNKNOWN'
  | 'ACTION_MISSING'
  | 'ACTION_ROLE_MISMATCH'
  | 'STATUS_NOT_ALLOWED'
  | 'NODE_UNREACHABLE'
  | 'NO_TERMINAL'
  | 'DEAD_END'
  | 'CANNOT_FINISH'
  | 'AUTO_CYCLE'
  | 'RESULT_UNCONNECTED'
  | 'EXTERNAL_TIMEOUT'
  | 'JOIN_MISSING'
  | 'JOIN_UNREACHED'
  | 'JOIN_BYPASSED'
  | 'JOIN_SHARED_NODE'
  | 'JOIN_ENTERED_FROM_OUTSIDE'
  | 'BRANCH_COUNT'
  | 'CALL_TARGET_MISSING'
  | 'CALL_TARGET_UNPUBLISHED'
  | 'CALL_CYCLE'
  | 'REQUIRES_INVALID'
  | 'DEADLINE_MISSING'
  | 'DEADLINE_INVALID'
  | 'DURATION_INVALID'
  | 'PERMISSION_BOTH_LIMITS'
  | 'PERMISSION_BOTH_FEES'
  | 'FEE_INVALID'
  | 'REFUND_TWICE'
  | 'TABLE_INVALID'
  | 'INPUT_TYPE_CONFLICT'
  | 'INPUT_WHEN_INVALID'
  | 'INPUT_OPTIONS_MISSING'
  | 'ATTACHMENTS_ENTRY'
  | 'NOTIFY_NAME'
  | 'TEMPLATE_PATH_UNKNOWN'
  | 'EXPRESSION_SYNTAX'
  | 'EXPRESSION_TYPE'
  | 'EXPRESSION_LITERAL'
  | 'EXPRESSION_NOT_ALLOWED'
  | 'TOO_COSTLY';
export type WarningCode =
  | 'STATUS_BACKWARDS'
  | 'NO_DEADLINE'
  | 'SECRET_MISSING'
  | 'DEADLINE_UNUSED'
  | 'DEADLINE_MAY_NOT_MOVE'
  | 'TABLE_VALUE_RANGE'
  | 'EXPRESSION_MAYBE_MISSING';

/** A problem as it is answered; null where it has no such place. */
export interface Issue {
  readonly code: BlockingCode | WarningCode;
  readonly message: string;
  readonly nodeId: string | null;
  readonly edgeId: string | null;
  readonly actionKey: string | null;
  /** The path below the node, edge, action or graph: `permissions.buyerCancel.deduct`. */
  readonly field: string | null;
  /** Of an expression, in UTF-16 units of its source. */
  readonly range: Range | null;
}
export type Where = Partial<Pick<Issue, 'nodeId' | 'edgeId' | 'actionKey' | 'field' | 'range'>>;

/** Problems as they are found. */
export interface Report {
  readonly block: (code: BlockingCode, where: Where, message: string) => void;
  readonly warn: (code: WarningCode, where: Where, message: string) => void;
}
export interface Checked {
  readonly publishable: boolean;
  readonly blocking: readonly Issue[];
  readonly warnings: readonly Issue[];
}
/** So many problems are told, those that block first. */
const MAX_ISSUES = 200;

export function createReport(): Report & { readonly checked: () => Checked } {
  const blocking: Issue[] = [];
  const warnings: Issue[] = [];
  const add = (issues: Issue[]) => (code: Issue['code'], where: Where, message: string) => {
    if (issues.length < MAX_ISSUES)
      issues.push({ code, message, nodeId: null, edgeId: null, actionKey: null, field: null, range: null, ...where });
  };
  return {
    block: add(blocking),
    warn: add(warnings),
    checked: () => ({ publishable: blocking.length === 0, blocking, warnings: warnings.slice(0, MAX_ISSUES - blocking.length) }),
  };
}
