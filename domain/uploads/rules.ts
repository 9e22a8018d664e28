/** Uploaded images: accepted types and sizes, and their storage keys (docs/contract.md#uploads). */
export const UPLOAD_PURPOSES = ['product-image', 'flow-attachment', 'order-input'] as const;
export type UploadPurpose = (typeof UPLOAD_PURPOSES)[number];
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;

/** Detected from the content, never from a file name or header. */
export const IMAGE_TYPES = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp', 'image/gif': 'gif' } as const;
export type ImageType = keyof typeof IMAGE_TYPES;
export const isImageType = (type: string | undefined): type is ImageType => type !== undefined && Object.hasOwn(IMAGE_TYPES, type);

/** `uploads/{storeId}/{uploadId}.png`: the URL path of an upload, and its key in the storage. */
export const uploadKey = (storeId: string, uploadId: string, type: ImageType): string =>
  `uploads/${storeId}/${uploadId}.${IMAGE_TYPES[type]}`;
/** The URL paths that are looked up in the storage; all others are 404. */
export const UPLOAD_PATH = /^\/(uploads\/\w{1,64}\/\w{1,64}\.(?:jpg|png|webp|gif))$/;
