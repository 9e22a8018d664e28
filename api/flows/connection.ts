/** What a connection to an external service may be (F16). */
import type { FieldError } from '../../domain/kernel/errors.ts';
import { BASE_URL } from '../../domain/kernel/hosts.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { closed, Type, VERBATIM } from '../declare/schema.ts';

export const SecretName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,39}$', description: 'Nodes name the connection by it' });

export const SecretRequest = closed(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The node’s path is appended to it',
      'x-document': { pattern: BASE_URL },
      ...VERBATIM,
    }),
    headerName: Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", maxLength: 100, description: 'Such as Authorization' }),
    headerValue: Type.String({ pattern: '^[ -~]{1,4096}$', description: 'Never shown again' }),
  },
  { title: 'FlowSecretRequest' },
);

/** Headers that the call itself has. */
const OWN: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'idempotency-key']);

export const connectionProblems = ({ headerName }: { readonly headerName?: string | undefined }): FieldError[] =>
  headerName !== undefined && OWN.has(headerName.toLowerCase())
    ? [{ field: 'headerName', code: 'NOT_ALLOWED', message: 'is a header of the call itself' }]
    : [];

const BASE = new RegExp(BASE_URL, 'u');
const SCREEN_MS = 2000;

/** Why an address must not be called; null: it may be, or is not in DNS yet. It is judged again at each call. */
export const urlProblem = async (url: string, { egress }: ApiDeps): Promise<'INVALID_URL' | 'BLOCKED_ADDRESS' | null> =>
  (await egress.screen(url, SCREEN_MS)) ?? (BASE.test(url) ? null : 'INVALID_URL');
