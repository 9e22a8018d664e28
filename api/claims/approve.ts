import type { viewRefund } from '../../db/claims/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type, Won } from '../declare/schema.ts';
import { AMOUNTS, ClaimRefund } from './schemas.ts';
import { CLAIM_ERRORS, sendClaimCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

export const approve = endpoint({
  id: 'claims.approve',
  route: 'POST /v1/claims/{claimId}/approve',
  summary: 'Approve a cancel, or a return whose goods are back, and pay it back',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'approval',
  target: CLAIM,
  facts: ['quantity', ...AMOUNTS],
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      deductAmount: Type.Optional({ ...Won, description: 'Won, at most what would go back; the cancel fee of the flow when omitted' }),
      holdRefund: Type.Optional(Type.Boolean({ description: 'Settle now; pay back at POST /v1/payments/refunds/{refundId}/process' })),
    },
    { title: 'ClaimApproval' },
  ),
  data: ClaimRefund,
  errors: [...CLAIM_ERRORS, 'CONCURRENT_UPDATE'],
}).handle(async (call) => {
  const { deductAmount: deductWon, holdRefund } = call.body;
  const refund = await sendClaimCommand(call, ({ status: seen }) => ({
    name: 'approve',
    input: { seen, ...(deductWon !== undefined && { deductWon }), ...(holdRefund !== undefined && { holdRefund }) },
  }));
  return refund as ReturnType<typeof viewRefund>;
});
