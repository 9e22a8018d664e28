import type { Tx } from '../kernel/tx.ts';
import { type Upload, UploadEntity } from './entities.ts';

/** Inserts the row of an upload whose file is stored already, so that a row always has a file. */
export function recordUpload({ em }: Tx, upload: Upload): Upload {
  em.persist(em.create(UploadEntity, upload));
  return upload;
}
