import { findApproval, statusNow } from '../../db/approvals/queries.ts';
import type { Subject } from '../declare/subject.ts';

/** Of a decision only the request's own state is told, not what it would change. */
export const APPROVAL: Subject = {
  type: 'APPROVAL',
  idField: 'approvalId',
  listing: { hidden: ['decisionNote'] },
  data: null,
  read: async (tx, approvalId) => {
    const approval = await findApproval(tx, approvalId);
    return { status: statusNow(approval, tx.at), decisionNote: approval.decisionNote ?? null };
  },
};
