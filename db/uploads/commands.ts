import type { Tx } from '../kernel/tx.ts';
import { type Upload, UploadEntity } from './entities.ts';

/** Inserts the row of an upload whose file is stored already, so that a row always has a file. */
export function recordUpload({ em }: Tx, upload: Upload): Upload {
  em.persist(em.create(UploadEntity, upload));
  return upload;
}

/** Keeps the store's own uploads among these URLs, because a record names them (X13). An https address of none is one like any other. */
export async function nameUploads({ sql, storeId }: Tx, urls: readonly string[], publicUrl: string): Promise<void> {
  const own = urls.flatMap((url) => (url.startsWith(`${publicUrl}/uploads/${storeId}/`) ? [uploadIdOf(url)] : []));
  if (own.length === 0) return;
  await sql`UPDATE upload SET is_named = true WHERE store_id = ${storeId} AND upload_id = ANY(${own}::text[])`;
}
/** `…/uploads/{storeId}/{uploadId}.png` → the upload's id. */
const uploadIdOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1).split('.')[0]!;

/** Keeps these uploads of the store, because a record names them. */
export async function nameUploadIds({ sql, storeId }: Tx, uploadIds: readonly string[]): Promise<void> {
  if (uploadIds.length === 0) return;
  await sql`UPDATE upload SET is_named = true WHERE store_id = ${storeId} AND upload_id = ANY(${uploadIds}::text[])`;
}
