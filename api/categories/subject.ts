import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

export const CATEGORY: Subject = shownBy(get, { type: 'CATEGORY', idField: 'categoryId', given: ['categoryId'] });
