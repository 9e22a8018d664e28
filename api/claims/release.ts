import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { Claim } from './schemas.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

export const release = endpoint({
  id: 'claims.release',
  route: 'POST /v1/claims/{claimId}/release',
  summary: 'End the hold of a claim before its time',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: Claim,
  errors: CLAIM_ERRORS,
}).handle((call) => sendSellerCommand(call, { name: 'release', input: {} }));
