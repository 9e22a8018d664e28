import { lockStore } from '../../db/stores/commands.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

/** The store's settings. */
export const STORE: Subject = shownBy(get, { type: 'STORE', lock: lockStore, given: ['storeId'] });
