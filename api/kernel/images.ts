/** Addresses of images: https, or an upload of the store. */
import type { FieldError } from '../../domain/kernel/errors.ts';
import { Type } from './schema.ts';

/** The URL of an upload when the API is used on this machine. */
const LOCAL_UPLOAD = '^http://(?:localhost|127[.]0[.]0[.]1)(?::[0-9]{1,5})?/uploads/';
const isLocalUpload = new RegExp(LOCAL_UPLOAD, 'u');
export const ImageUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 1000,
  description: 'https, or an upload of ours',
  'x-document': { pattern: `^https://|${LOCAL_UPLOAD}` },
});

/** Image URLs must be https, except for our own uploads. */
export const imageProblems = (images: readonly (string | undefined)[], publicUrl: string, field = 'images'): FieldError[] =>
  images.flatMap((url, i) =>
    url?.startsWith('http:') && !isLocalUpload.test(url) && !url.startsWith(`${publicUrl}/uploads/`)
      ? [{ field: `${field}[${i}]`, code: 'INVALID_URL', message: 'An image needs an https address.' }]
      : [],
  );
