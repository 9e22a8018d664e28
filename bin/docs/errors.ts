/** `docs/errors.md`: every error code, from the catalogue and the operations' declarations. */
import { policyOf } from '../../api/declare/agents.ts';
import type { Access, Endpoint } from '../../api/declare/endpoint.ts';
import { errorsOf, usesQuota } from '../../api/declare/errors.ts';
import { endpoints } from '../../api/endpoints.ts';
import { catalogue, type ErrorCode } from '../../domain/kernel/errors.ts';

const ACCESS: Readonly<Record<Access, string>> = {
  store: 'every operation of a store',
  user: 'every operation of a person before a store is chosen',
  buyer: 'every operation of a buyer',
  customer: 'every operation of a customer',
  storefront: 'every operation that a shop calls for nobody in particular',
  payment: 'every operation by a payment id',
};
/**
 * Groups of operations that declare a code together. Other operations are only in the OpenAPI documents, so that a new operation does not
 * change the page.
 */
const GROUPS: readonly (readonly [name: string, has: (endpoint: Endpoint) => boolean])[] = [
  ['every operation', () => true],
  ...Object.entries(ACCESS).map(([access, name]) => [name, (endpoint: Endpoint) => endpoint.access === access] as const),
  ['every operation that takes an `Idempotency-Key`', ({ idempotent }) => idempotent === true],
  ['every console-only operation', (endpoint) => endpoint.console !== undefined],
  ['every change in a store that is not `direct` for agents', (endpoint) => endpoint.access === 'store' && policyOf(endpoint) !== 'direct'],
  ['every change in a store that is not `denied` to agents', usesQuota],
];

/** The groups of operations that raise a code. */
function raisedBy(code: ErrorCode): string {
  const all = endpoints.filter((endpoint) => errorsOf(endpoint).includes(code));
  if (all.length === 0) return 'no operation: the router answers, before an operation is known';
  const left = new Set(all);
  const names: string[] = [];
  for (const [name, has] of GROUPS) {
    const members = endpoints.filter(has);
    if (!members.every((one) => all.includes(one)) || !members.some((one) => left.has(one))) continue;
    names.push(name);
    for (const one of members) left.delete(one);
  }
  const others = [...left].flatMap((one) => otherStatus(one, code));
  return [...names, ...(left.size > 0 ? ['operations that declare it'] : []), ...others].join(', ');
}

/** The status of a code where an operation overrides it. */
function otherStatus({ id, statuses }: Endpoint, code: ErrorCode): string[] {
  const status = statuses?.[code];
  return status === undefined ? [] : [`\`${id}\` (${status})`];
}

/** The generated page. */
export function errorsPage(): string {
  const codes = (Object.keys(catalogue) as ErrorCode[]).toSorted((a, b) => catalogue[a].status - catalogue[b].status);
  const rows = codes.map((code) => `| ${catalogue[code].status} | \`${code}\` | ${catalogue[code].message} | ${raisedBy(code)} |`);
  return `# Errors

Generated from \`domain/kernel/errors.ts\` and the declarations of the operations by \`npm run docs\`; a test compares.

Every refusal is \`{ meta, data: null, error }\` with one of these codes in \`error.code\`: programs go by the code, the text is for
people. How refusals are ordered and what \`error.details\` and \`fieldErrors\` hold: [contract.md](contract.md#errors). The OpenAPI
documents say of each operation what it declares (\`x-error-codes\`); its file is \`api/<feature>/<verb>.ts\`. A status in brackets is
what that operation answers instead. \`/oauth2/*\` answers the codes of its RFCs instead, such as \`invalid_grant\`.

| Status | Code | Meaning | Raised by |
|---|---|---|---|
${rows.join('\n')}
`;
}
