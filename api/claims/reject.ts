import { MIN_EXPLANATION, REJECT_REASONS, rejectionProblems } from '../../domain/claims/rules.ts';
import { visibleText } from '../declare/documentedSchema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { imageProblems } from '../uploads/images.ts';
import { closed, oneOf, Type } from '../declare/schema.ts';
import { Claim, Images } from './schemas.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

const Explanation = Type.String({
  minLength: MIN_EXPLANATION,
  maxLength: 1000,
  description: 'For the buyer; blanks around it do not count',
  examples: ['사용 흔적이 있어 반품할 수 없습니다.'],
  'x-document': { pattern: visibleText(MIN_EXPLANATION) },
  'x-trimmed': true,
});

export const reject = endpoint({
  id: 'claims.reject',
  route: 'POST /v1/claims/{claimId}/reject',
  summary: 'Reject a claim; goods that came back leave the stock again',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed(
    { reason: oneOf(REJECT_REASONS), explanation: Explanation, evidenceImages: Type.Optional(Images) },
    { title: 'ClaimRejection' },
  ),
  data: Claim,
  errors: CLAIM_ERRORS,
  check: async (rejection, deps, caller) => [
    ...rejectionProblems(rejection),
    ...(await imageProblems(rejection.evidenceImages ?? [], deps, caller, 'evidenceImages')),
  ],
}).handle((call) => {
  const { reason, explanation, evidenceImages = [] } = call.body;
  const value = JSON.stringify({ explanation, evidenceImages });
  return sendSellerCommand(call, { name: 'reject', input: { reason }, texts: { explanationId: value } });
});
