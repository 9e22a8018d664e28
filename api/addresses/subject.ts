import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

export const ADDRESS: Subject = shownBy(get, { type: 'ADDRESS', idField: 'addressId', given: ['addressId'] });
