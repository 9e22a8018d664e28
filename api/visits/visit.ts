/** The storefront visit of a request, from the shop's headers (docs/contract.md#visits). */
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { Visit } from '../../domain/checkout/rules.ts';
import { Type } from '../declare/schema.ts';

const visit = Type.String({ maxLength: 100, 'x-document': { pattern: '^[ -~]*$' } });
export const VISIT = { 'X-Svc-Visitor': visit, 'X-Svc-Session': visit };
const [VISITOR, SESSION] = ['x-svc-visitor', 'x-svc-session'] as const;
const VISIT_ID = /^[ -~]{1,100}$/;

/** `x-svc-visitor` and `x-svc-session`: up to 100 printable characters each. Anything else is ignored, so that no purchase fails. */
export function visitOf(header: (name: string) => string): Visit | null {
  const read = (name: string) => (VISIT_ID.test(header(name)) ? header(name) : null);
  const [visitorId, sessionId] = [read(VISITOR), read(SESSION)];
  return visitorId === null && sessionId === null ? null : { visitorId, sessionId };
}

/** Problems of the headers of an operation that needs both. */
export const visitProblems = (header: (name: string) => string | undefined): FieldError[] =>
  [VISITOR, SESSION].flatMap((field) =>
    VISIT_ID.test(header(field) ?? '')
      ? []
      : [{ field, code: header(field) === undefined ? 'REQUIRED' : 'INVALID', message: '1 to 100 printable ASCII characters' }],
  );
