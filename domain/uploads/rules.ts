/** Uploaded images: what is taken, and under which key it is kept (docs/contract.md#uploads). */
export const UPLOAD_PURPOSES = ['product-image', 'flow-attachment', 'order-input'] as const;
export type UploadPurpose = (typeof UPLOAD_PURPOSES)[number];
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;

/** Told by the content, never by a name or a header. */
export const IMAGE_TYPES = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp', 'image/gif': 'gif' } as const;
export type ImageType = keyof typeof IMAGE_TYPES;
export const isImageType = (type: string | undefined): type is ImageType => type !== undefined && Object.hasOwn(IMAGE_TYPES, type);

/** `uploads/{storeId}/{uploadId}.png`: the address of an upload, and its key in the storage. */
export const uploadKey = (storeId: string, uploadId: string, type: ImageType): string =>
  `uploads/${storeId}/${uploadId}.${IMAGE_TYPES[type]}`;
/** What an address of ours may be; nothing else is looked up. */
export const UPLOAD_PATH = /^\/(uploads\/\w{1,64}\/\w{1,64}\.(?:jpg|png|webp|gif))$/;
