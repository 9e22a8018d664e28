import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

export const API_CLIENT: Subject = shownBy(get, {
  type: 'API_CLIENT',
  idField: 'clientId',
  given: ['clientId', 'createdAt', 'revokedAt'],
  hidden: ['secretPrefix'],
});
