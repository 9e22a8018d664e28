import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';

export const WEBHOOK: Subject = shownBy(get, {
  type: 'WEBHOOK',
  idField: 'webhookId',
  given: ['webhookId', 'createdAt', 'suspendedAt', 'oldSecretExpiresAt'],
  hidden: ['secretPrefix'],
});
