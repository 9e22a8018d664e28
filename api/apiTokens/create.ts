import { issueApiToken } from '../../db/identity/apiTokens.ts';
import { covers } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ApiTokenRequest, NewApiToken, viewApiToken } from './schemas.ts';
import { API_TOKEN } from './subject.ts';

const DEFAULT_DAYS = 90;

export const create = endpoint({
  id: 'apiTokens.create',
  route: 'POST /v1/store/api-tokens',
  summary: 'Issue an API token with scopes of your own; its plain text is shown once',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agent: 'denied',
  target: API_TOKEN,
  change: 'here',
  idempotent: true,
  secret: true,
  body: ApiTokenRequest,
  status: 201,
  data: NewApiToken,
}).handle(async ({ tx, body, scopes, person }) => {
  const beyond = body.scopes.flatMap((scope, i) => (covers(scopes, scope) ? [] : [i]));
  if (beyond.length > 0)
    throw new Fault('VALIDATION_FAILED', {
      fieldErrors: beyond.map((i) => ({ field: `scopes[${i}]`, code: 'NOT_HELD', message: 'is more than you hold' })),
    });
  const { expiresInDays = DEFAULT_DAYS, purpose = 'plain', ...wanted } = body;
  const issued = await issueApiToken(tx, { ...wanted, purpose, expiresInDays, createdBy: person!.userId });
  return { ...viewApiToken(issued), token: issued.token };
});
