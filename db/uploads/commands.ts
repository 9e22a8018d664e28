import type { Em } from '../kernel/tx.ts';
import { type Upload, UploadEntity } from './entities.ts';

/** Notes an upload whose file is in the storage already: a file without a row is never referred to. */
export function noteUpload(em: Em, upload: Upload): Upload {
  em.persist(em.create(UploadEntity, upload));
  return upload;
}
