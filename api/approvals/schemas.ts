import { APPROVAL_STATUSES, APPROVER_ROLES } from '../../domain/approvals/rules.ts';
import { TARGET_TYPES } from '../../domain/audit/targets.ts';
import { Actor } from '../apiRequestLogs/schemas.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

const Preview = closed(
  {
    operationId: Type.String(),
    target: nullable(closed({ type: oneOf(TARGET_TYPES), id: nullable(Id) })),
    changes: Type.Array(closed({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
    facts: Type.Object({}, { description: 'Amounts and counts that the real answer would tell' }),
    request: Type.Optional(
      closed(
        {
          params: Type.Object({}, { description: 'Of the path' }),
          query: Type.Object({}),
          body: Type.Object({}),
          unshown: Type.Array(Type.String(), { description: 'Fields that are too long, secret or personal: the request itself has them' }),
          digest: Type.String({ description: 'Of operation, path, query, body and If-Match' }),
        },
        { title: 'SentRequest', description: 'Absent where it was made by a version before, or its customer has withdrawn' },
      ),
    ),
  },
  { title: 'Preview' },
);
const PreviewDigest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  minLength: 64,
  maxLength: 64,
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  description: 'SHA-256 of the preview as canonical JSON, in hexadecimal digits: names what is shown',
});
const Result = closed(
  {
    statusCode: Type.Integer({ description: '0 when the outcome is unknown' }),
    code: Type.String(),
    requestId: nullable(Type.String({ description: 'Of the execution, as its audit records have it' })),
    data: Type.Unknown(),
    error: Type.Unknown(),
  },
  { title: 'ApprovalResult' },
);
const listed = {
  approvalId: Id,
  status: oneOf(APPROVAL_STATUSES),
  operationId: Type.String(),
  reason: Type.String(),
  requestedBy: Actor,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  approvalUrl: Type.String({
    examples: ['https://console.example/approvals/apr_0352lziJk6tAaaiYATVmyK'],
    description: 'Decides nothing when opened',
  }),
  approverRole: oneOf(APPROVER_ROLES, 'The least role that may approve it'),
  preview: Preview,
  previewDigest: PreviewDigest,
  decidedAt: nullable(Timestamp),
  decisionNote: nullable(Type.String()),
  approver: nullable(closed({ userId: Id, name: Type.String() })),
  result: nullable(Result),
};
/** Of lists. */
export const ListedApproval = closed(
  {
    ...listed,
    previewDigest: nullable({
      ...PreviewDigest,
      description: 'Null where only a part of the preview is listed: the request itself has all',
    }),
    changesTruncated: Type.Boolean({
      description:
        'preview.changes holds fewer lines than the request’s (at most 20), or shorter values (at most 2,000 characters); data and error of its result are null where they are larger than 1,000 bytes',
    }),
  },
  { title: 'ListedApproval' },
);
export const Approval = closed(
  {
    ...listed,
    request: closed({
      method: Type.String(),
      path: Type.String(),
      query: Type.Object({}, { description: 'By the names of parameters' }),
      body: Type.Unknown(),
    }),
  },
  { title: 'Approval' },
);
const note = Type.Optional(Type.String({ maxLength: 500 }));
export const DecisionRequest = closed({ note }, { title: 'DecisionRequest' });
export const ApprovalDecision = closed(
  { note, previewDigest: Type.Optional({ ...PreviewDigest, description: 'Of the preview that the person saw: nothing else is approved' }) },
  { title: 'ApprovalDecision' },
);
/** `error.details` of APPROVAL_STALE. */
export const StaleDetails = closed({ preview: Preview, previewDigest: PreviewDigest }, { title: 'StaleApproval' });
