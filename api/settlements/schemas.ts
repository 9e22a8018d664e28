import { closed, Id } from '../kernel/schema.ts';

/** No new ones are made; what an old one held is not shown by the contract. */
export const Settlement = closed({ settlementId: Id }, { title: 'Settlement' });
