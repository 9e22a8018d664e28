import { fileTypeFromBuffer } from 'file-type';
import type { Upload } from '../../db/uploads/entities.ts';
import { IMAGE_TYPES, type ImageType, isImageType, uploadKey, type UploadPurpose } from '../../workflows/catalog/uploads.ts';
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { newId } from '../../db/kernel/clock.ts';
import type { ApiDeps } from '../kernel/deps.ts';
import { closed, Id, oneOf, Type } from '../kernel/schema.ts';
import type { UploadedFile } from '../kernel/upload.ts';

export const UploadView = closed(
  { uploadId: Id, url: Type.String(), contentType: oneOf(Object.keys(IMAGE_TYPES) as ImageType[]), size: Type.Integer() },
  { title: 'Upload' },
);

interface Keeping {
  readonly deps: ApiDeps;
  readonly storeId: string;
  readonly principal: string;
  readonly file: UploadedFile | null;
  readonly at: number;
}
/** Looks at the bytes and puts them into the storage; the row follows in the transaction of the request. INVALID_IMAGE. */
export async function keepFile({ deps, storeId, principal, file, at }: Keeping, purpose: UploadPurpose): Promise<Upload> {
  if (!file) throw invalid('file', 'REQUIRED', 'Send a file.');
  const found = await fileTypeFromBuffer(file.bytes);
  if (!isImageType(found?.mime)) throw new Fault('INVALID_IMAGE');
  const uploadId = newId('upl', at);
  const contentType = found.mime;
  await deps.storage.put(uploadKey(storeId, uploadId, contentType), file.bytes, contentType);
  const { sha256, bytes } = file;
  return { storeId, uploadId, purpose, principal, contentType, size: bytes.length, sha256, createdAt: new Date(at) };
}

export const viewUpload = ({ uploadId, storeId, contentType, size }: Upload, publicUrl: string) => ({
  uploadId,
  contentType,
  size,
  url: `${publicUrl}/${uploadKey(storeId, uploadId, contentType)}`,
});
