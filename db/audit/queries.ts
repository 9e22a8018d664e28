/** The audit log of a store, read from both its tables by one statement. */
import { DOMAIN_OUTCOME, LISTED_MS, type Outcome, type Source, YEAR_ACTIONS } from '../../domain/audit/rules.ts';
import type { Actor, ActorType } from '../../domain/identity/actors.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { allOf, type Fragment, fragment, joined } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

export interface AuditRecord {
  readonly auditId: string;
  readonly source: Source;
  /** Business time, in milliseconds. */
  readonly createdAt: number;
  readonly actor: Actor;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string | null } | null;
  readonly outcome: Outcome;
  readonly statusCode: number | null;
  readonly errorCode: string | null;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly idempotencyKey: string | null;
  readonly approvalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** In a list: `metadata.changes` has fewer lines, or shorter values, than the record. */
  readonly changesTruncated: boolean;
}
/** What is exact is compared as it is; lists are alternatives. */
export interface AuditFilter {
  readonly source?: Source;
  readonly actorTypes?: readonly ActorType[];
  readonly actorId?: string;
  readonly action?: string;
  readonly targetType?: string;
  readonly targetId?: string;
  readonly outcomes?: readonly Outcome[];
  readonly requestId?: string;
  readonly approvalId?: string;
  /** Business times; from inclusive, to exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Where the list is read on: behind this record. */
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

/** Records of the store, newest first by time, then id: those of the last year of its clock, and what is listed for ever (G48). */
export async function listAudit(tx: Tx, filter: AuditFilter): Promise<AuditRecord[]> {
  const { source, outcomes } = filter;
  const branches = [
    source !== 'DOMAIN' && requests(tx, filter),
    source !== 'REQUEST' && (outcomes === undefined || outcomes.includes(DOMAIN_OUTCOME)) && changes(tx, filter),
  ].filter((branch) => branch !== false);
  if (branches.length === 0) return [];
  const rows = await tx.sql<ListedRow>`SELECT * FROM (${joined(branches, fragment` UNION ALL `)}) found
    ORDER BY created_at DESC, audit_id DESC LIMIT ${filter.limit}`;
  return rows.map(({ listed, ...row }) => recordOf({ ...row, ...listed }));
}

/** A record with all of its changes, for as long as it is listed. AUDIT_NOT_FOUND. */
export async function readAudit(tx: Tx, auditId: string): Promise<AuditRecord> {
  const its = fragment`store_id = ${tx.storeId} AND audit_id = ${auditId}`;
  const [row] = await tx.sql<Row>`
    SELECT ${REQUEST_HEAD}, metadata FROM audit_request WHERE ${its} AND ${isListedRequest(tx)}
    UNION ALL SELECT ${CHANGE_HEAD}, metadata FROM audit_domain WHERE ${its} AND ${isListedChange(tx)} LIMIT 1`;
  if (!row) throw new Fault('AUDIT_NOT_FOUND');
  return recordOf(row);
}

const REQUEST_HEAD = fragment`audit_id, 'REQUEST' AS source, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
  outcome, status_code, error_code, request_id, trace_id, idempotency_key, approval_id`;
const CHANGE_HEAD = fragment`audit_id, 'DOMAIN' AS source, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
  ${DOMAIN_OUTCOME}::text AS outcome, NULL::smallint AS status_code, NULL::text AS error_code, request_id, NULL::text AS trace_id,
  NULL::text AS idempotency_key, approval_id`;

const yearAgo = ({ at }: Tx): Date => new Date(at - LISTED_MS);
const isListedRequest = (tx: Tx): Fragment => fragment`created_at >= ${yearAgo(tx)}`;
const isListedChange = (tx: Tx): Fragment => fragment`(created_at >= ${yearAgo(tx)} OR action <> ALL (${YEAR_ACTIONS}::text[]))`;

function requests(tx: Tx, filter: AuditFilter): Fragment {
  const { outcomes } = filter;
  const where = [
    isListedRequest(tx),
    filter.actorTypes !== undefined && fragment`actor_type = wanted.actor_type`,
    outcomes !== undefined && fragment`outcome = wanted.outcome`,
  ];
  return perAlternative(
    [filter.actorTypes && alternatives(fragment`actor_type`, filter.actorTypes), outcomes && alternatives(fragment`outcome`, outcomes)],
    newest(fragment`SELECT ${REQUEST_HEAD}, listed FROM audit_request`, tx, filter, where),
  );
}

function changes(tx: Tx, filter: AuditFilter): Fragment {
  const where = [isListedChange(tx), filter.actorTypes !== undefined && fragment`actor_type = wanted.actor_type`];
  return perAlternative(
    [filter.actorTypes && alternatives(fragment`actor_type`, filter.actorTypes)],
    newest(fragment`SELECT ${CHANGE_HEAD}, listed_metadata(metadata) AS listed FROM audit_domain`, tx, filter, where),
  );
}

/** The newest records of a table, in the order of an index: that of the filter, or of all. */
function newest(select: Fragment, { storeId }: Tx, filter: AuditFilter, where: readonly (Fragment | false)[]): Fragment {
  const { actorId, action, targetType, targetId, requestId, approvalId, from, to, after, limit } = filter;
  const conditions = allOf([
    fragment`store_id = ${storeId}`,
    ...where,
    actorId !== undefined && fragment`actor_id = ${actorId}`,
    action !== undefined && fragment`action = ${action}`,
    targetType !== undefined && fragment`target_type = ${targetType}`,
    targetId !== undefined && fragment`target_id = ${targetId}`,
    requestId !== undefined && fragment`request_id = ${requestId}`,
    approvalId !== undefined && fragment`approval_id = ${approvalId}`,
    from !== undefined && fragment`created_at >= ${new Date(from)}`,
    to !== undefined && fragment`created_at < ${new Date(to)}`,
    after !== null && fragment`(created_at, audit_id) < (${new Date(after.at)}, ${after.id})`,
  ]);
  return fragment`(${select} WHERE ${conditions} ORDER BY created_at DESC, audit_id DESC LIMIT ${limit})`;
}

const alternatives = (name: Fragment, values: readonly string[]): Fragment =>
  fragment`unnest(${[...new Set(values)]}::text[]) AS ${name} (${name})`;
/** One index scan per alternative (`wanted`), each in the order of the index; without alternatives the query alone. */
function perAlternative(lists: readonly (Fragment | undefined)[], query: Fragment): Fragment {
  const given = lists.filter((list) => list !== undefined);
  return given.length === 0
    ? query
    : fragment`SELECT found.* FROM (SELECT * FROM ${joined(given, fragment` CROSS JOIN `)}) wanted CROSS JOIN LATERAL ${query} found`;
}

interface Row {
  readonly audit_id: string;
  readonly source: Source;
  readonly created_at: string;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly action: string;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly outcome: Outcome;
  readonly status_code: number | null;
  readonly error_code: string | null;
  readonly request_id: string | null;
  readonly trace_id: string | null;
  readonly idempotency_key: string | null;
  readonly approval_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of a list: what it shows of the changes. */
  readonly cut?: { readonly changes: readonly unknown[]; readonly isTruncated: boolean } | null;
}
/** What a list reads: nothing of it is larger than a list shows (migration 0052). */
interface ListedRow extends Omit<Row, 'metadata' | 'cut'> {
  readonly listed: Pick<Row, 'metadata' | 'cut'>;
}
const recordOf = (row: Row): AuditRecord => ({
  auditId: row.audit_id,
  source: row.source,
  createdAt: msOf(row.created_at),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  action: row.action,
  target: row.target_type === null ? null : { type: row.target_type, id: row.target_id },
  outcome: row.outcome,
  statusCode: row.status_code,
  errorCode: row.error_code,
  requestId: row.request_id,
  traceId: row.trace_id,
  idempotencyKey: row.idempotency_key,
  approvalId: row.approval_id,
  metadata: row.cut ? { ...row.metadata, changes: row.cut.changes } : row.metadata,
  changesTruncated: row.cut?.isTruncated ?? false,
});
