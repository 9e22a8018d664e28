import type { Subject } from '../declare/subject.ts';
import { UploadView } from './schemas.ts';

/** Its answer is all that is shown of an upload. */
export const UPLOAD: Subject = {
  type: 'UPLOAD',
  idField: 'uploadId',
  listing: { given: ['uploadId', 'url'] },
  data: UploadView,
  read: () => Promise.resolve(null),
};
