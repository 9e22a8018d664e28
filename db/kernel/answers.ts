/** How much a list may answer (D90): no page passes 1 MiB, so that readers of the largest pages cost a process little. */

/** In bytes of JSON. */
export const LARGEST_ANSWER = 1024 * 1024;
/** Of it for the envelope, the head of a list, and a separator for each entry. */
const ENVELOPE = 16 * 1024;

/** The bytes that each entry of a page of so many may have where all are as large as they can be. */
export const shareOf = (size: number): number => Math.floor((LARGEST_ANSWER - ENVELOPE) / Math.max(1, size));
