/** The entries of a member's point history, and what each type may do. */

/** What makes a lot. */
export const GRANT_TYPES = ['EARN_REVIEW', 'EARN_PURCHASE', 'OPENING', 'ADJUST', 'REFUND_RESTORE'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** There is no entry for a completed payment: its USE_RESERVE stands for the use (N10). */
export const ENTRY_TYPES = [...GRANT_TYPES, 'REVOKE_REVIEW', 'EXPIRE', 'USE_RESERVE', 'USE_RELEASE'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];
