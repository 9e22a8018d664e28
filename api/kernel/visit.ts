/** The storefront visit of a request, from the shop's headers (docs/contract.md#visits). */
import type { Visit } from '../../domain/checkout/rules.ts';
import { Type } from './schema.ts';

const visit = Type.String({ maxLength: 100, 'x-document': { pattern: '^[!-~]*$' } });
export const VISIT = { 'X-Svc-Visitor': visit, 'X-Svc-Session': visit };

/** `x-svc-visitor` and `x-svc-session`: up to 100 printable characters each. Anything else is ignored, so that no purchase fails. */
export function visitOf(header: (name: string) => string): Visit | null {
  const read = (name: string) => (/^[\x21-\x7e]{1,100}$/.test(header(name)) ? header(name) : null);
  const [visitorId, sessionId] = [read('x-svc-visitor'), read('x-svc-session')];
  return visitorId === null && sessionId === null ? null : { visitorId, sessionId };
}
