/** The log of management requests (docs/contract.md#request-log). */
import { DAY } from '../kernel/time.ts';

/** How long a request is listed, by the store's clock; its partition is dropped after as long by the real one, which is never ahead. */
export const LISTED_MS = 7 * DAY;

/** The methods that can be filtered by; another one (405) is listed too. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];
