import { fileTypeFromFile } from 'file-type';
import type { Upload } from '../../db/uploads/entities.ts';
import { IMAGE_TYPES, type ImageType, isImageType, uploadKey, type UploadPurpose } from '../../domain/uploads/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../../db/kernel/clock.ts';
import { releaseUse, type Limit, consumeUse } from '../../db/limits/commands.ts';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { type LimitedCall, refuseUntil } from '../web/limits.ts';
import { closed, Id, oneOf, Type } from '../declare/schema.ts';
import type { UploadedFile } from '../declare/incoming.ts';

export const UploadView = closed(
  { uploadId: Id, url: Type.String(), contentType: oneOf(Object.keys(IMAGE_TYPES) as ImageType[]), size: Type.Integer() },
  { title: 'Upload' },
);

interface StoreFileCall extends LimitedCall {
  readonly principal: string;
  readonly file: UploadedFile | null;
  readonly at: number;
  readonly realNow: number;
  readonly outside: <T>(act: () => Promise<T>, instead: T) => Promise<T>;
}
/**
 * Checks the content and stores the file; its row is inserted later, in the transaction of the request. INVALID_IMAGE; over a limit
 * TOO_MANY_REQUESTS. A refused file, or one that could not be stored, does not count.
 */
export async function storeFile(call: StoreFileCall, purpose: UploadPurpose, limits: readonly Limit[] = []): Promise<Upload> {
  const { deps, storeId, principal, file, at, realNow, outside } = call;
  if (!file) throw invalid('file', 'REQUIRED', 'Send a file.');
  const found = await fileTypeFromFile(file.path);
  if (!isImageType(found?.mime)) throw new Fault('INVALID_IMAGE');
  const uploadId = newId('upl', at);
  const contentType = found.mime;
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTenant(deps.orm, call, REQUEST, work);
  // Counted before the file is stored, so that concurrent uploads cannot exceed the limit.
  if (limits.length > 0) refuseUntil('uploads', await inTx((tx) => consumeUse(tx, limits)), realNow);
  try {
    await outside(() => deps.storage.putFile(uploadKey(storeId, uploadId, contentType), file.path, contentType), undefined);
  } catch (error) {
    if (limits.length > 0) await inTx((tx) => releaseUse(tx, limits, realNow));
    throw error;
  }
  const { sha256, size } = file;
  return { storeId, uploadId, purpose, principal, contentType, size, sha256, isNamed: false, createdAt: new Date(at) };
}

export const viewUpload = ({ uploadId, storeId, contentType, size }: Upload, publicUrl: string) => ({
  uploadId,
  contentType,
  size,
  url: `${publicUrl}/${uploadKey(storeId, uploadId, contentType)}`,
});
