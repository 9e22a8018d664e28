import { CLAIM_LISTING } from '../../db/claims/views.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

export const CLAIM: Subject = shownBy(get, { type: 'CLAIM', idField: 'claimId', ...CLAIM_LISTING });
