import { saveSecret as save } from '../../db/flows/secrets.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { connectionProblems, SecretName, SecretRequest, urlProblem } from './connection.ts';
import { Secret, viewSecret } from './schemas.ts';
import { FLOW_SECRET } from './subject.ts';

const URL_RULE = 'must be a public https address without user information, query and fragment';

export const saveSecret = endpoint({
  id: 'flows.saveSecret',
  route: 'PUT /v1/commerce-flows/secrets/{name}',
  summary: 'Store or replace the address of an external service and the header that is sent to it; the value is never shown',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'denied',
  target: FLOW_SECRET,
  change: 'here',
  names: { name: SecretName },
  body: SecretRequest,
  check: connectionProblems,
  data: Secret,
  errors: ['FLOW_SECRET_URL_INVALID'],
})
  .before(({ body, deps }) => urlProblem(body.url, deps))
  .handle(async ({ tx, params, body, deps, prepared: reason }) => {
    if (reason)
      throw new Fault('FLOW_SECRET_URL_INVALID', { details: { reason }, fieldErrors: [{ field: 'url', code: reason, message: URL_RULE }] });
    return viewSecret(await save(tx, deps.keyring, params.name, body));
  });
