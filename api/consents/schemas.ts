import type { ConsentState as State } from '../../db/customers/consents.ts';
import { CONSENT_ACTIONS, CONSENT_KINDS } from '../../domain/customers/consents.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { closed, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const ConsentVersion = Type.String({ minLength: 1, maxLength: 40, examples: ['2026-01'] });
export const ConsentState = closed(
  { kind: oneOf(CONSENT_KINDS), agreed: Type.Boolean(), version: nullable(Type.String()), at: Timestamp },
  { title: 'ConsentState' },
);
export const CurrentConsents = closed({ current: Type.Array(ConsentState) }, { title: 'CurrentConsents' });
export const ConsentRequest = closed(
  { kind: oneOf(CONSENT_KINDS), action: oneOf(CONSENT_ACTIONS), version: Type.Optional(ConsentVersion) },
  { title: 'ConsentRequest' },
);

export const viewState = ({ kind, agreed, version, at }: State) => ({ kind, agreed, version, at: koreanOf(at) });
