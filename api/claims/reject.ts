import { REJECT_REASONS } from '../../domain/claims/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { imageProblems } from '../kernel/images.ts';
import { closed, oneOf, Type } from '../kernel/schema.ts';
import { Claim, Images } from './schemas.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

const Explanation = Type.String({ minLength: 10, maxLength: 1000, pattern: '^\\s*\\S[^]{8,}\\S\\s*$', description: 'The buyer reads it' });

export const reject = endpoint({
  id: 'claims.reject',
  route: 'POST /v1/claims/{claimId}/reject',
  summary: 'Reject a claim; goods that came back leave the stock again',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed(
    { reason: oneOf(REJECT_REASONS), explanation: Explanation, evidenceImages: Type.Optional(Images) },
    { title: 'ClaimRejection' },
  ),
  data: Claim,
  errors: CLAIM_ERRORS,
  check: ({ evidenceImages = [] }, { config }) => imageProblems(evidenceImages, config.publicUrl, 'evidenceImages'),
}).handle((call) => {
  const { reason, explanation, evidenceImages = [] } = call.body;
  const value = JSON.stringify({ explanation, evidenceImages });
  return sendSellerCommand(call, { name: 'reject', input: { reason }, text: { field: 'explanationId', value } });
});
