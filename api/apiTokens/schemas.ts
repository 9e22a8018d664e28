import type { ShownApiToken } from '../../db/identity/apiTokens.ts';
import { ROLE_SCOPES } from '../../domain/identity/rules.ts';
import { korean } from '../../domain/kernel/time.ts';
import { closed, Id, Name, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

const fields = {
  tokenId: Id,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  purpose: oneOf(['plain', 'agent'], 'agent: requests are those of an AI agent and fall under its rules'),
  tokenPrefix: Type.String(),
  createdByName: Type.String(),
  createdAt: Timestamp,
  expiresAt: nullable(Timestamp),
  lastUsedAt: nullable(Timestamp),
};
export const ApiToken = closed(fields, { title: 'ApiToken' });
export const NewApiToken = closed({ ...fields, token: Type.String({ description: 'Shown once' }) }, { title: 'NewApiToken' });

/** Scopes that a console user can have and so can grant: a scope, or its read-only variant. */
const SCOPE_NAMES = ROLE_SCOPES.OWNER.flatMap((scope) => (scope.endsWith(':rw') ? [scope, scope.slice(0, -1)] : [scope]));
export const ApiTokenRequest = closed(
  {
    name: Name(100),
    scopes: Type.Array(oneOf(SCOPE_NAMES), { minItems: 1, maxItems: 50 }),
    expiresInDays: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650, description: 'Omitted: 90. Null: never.' }))),
    purpose: Type.Optional(oneOf(['plain', 'agent'])),
  },
  { title: 'ApiTokenRequest' },
);

export const viewApiToken = ({ createdAt, expiresAt, lastUsedAt, ...token }: ShownApiToken) => ({
  ...token,
  scopes: [...token.scopes],
  createdAt: korean(createdAt),
  expiresAt: expiresAt === null ? null : korean(expiresAt),
  lastUsedAt: lastUsedAt === null ? null : korean(lastUsedAt),
});
