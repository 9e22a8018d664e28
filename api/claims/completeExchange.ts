import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { Claim } from './schemas.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

export const completeExchange = endpoint({
  id: 'claims.completeExchange',
  route: 'POST /v1/claims/{claimId}/complete-exchange',
  summary: 'The buyer has the others: the exchange is complete',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: Claim,
  errors: CLAIM_ERRORS,
}).handle((call) => sendSellerCommand(call, { name: 'completeExchange', input: {} }));
