import { closed, Id } from '../declare/schema.ts';

/** No settlements are created; the contract does not define their content. */
export const Settlement = closed({ settlementId: Id }, { title: 'Settlement' });
