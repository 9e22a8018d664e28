import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/kernel/canonical.ts';

/** SHA-256 of the value's canonical JSON, in hexadecimal digits: equal values have equal digests. */
export const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
