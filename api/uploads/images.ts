/** Addresses of images: https, or an upload of the store (D51). */
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { ownUploads } from '../../db/uploads/queries.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { Type } from '../declare/schema.ts';

export const ImageUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 1000,
  description: 'https; of an API that is served over http, also the url of an upload of this store',
  'x-document': { pattern: '^https://' },
});

/** What is not https has to be an upload of this store, which is there. Nothing is read where no address begins as one. */
export async function imageProblems(
  images: readonly (string | undefined)[],
  { orm, config }: ApiDeps,
  caller: Caller,
  field = 'images',
): Promise<FieldError[]> {
  const plain = images.filter((url) => url?.startsWith('http:') === true) as readonly string[];
  if (plain.length === 0) return [];
  const own = await inTenant(orm, caller, REQUEST, (tx) => ownUploads(tx, plain, config.publicUrl));
  return images.flatMap((url, i) =>
    url?.startsWith('http:') === true && !Object.hasOwn(own, url)
      ? [{ field: `${field}[${i}]`, code: 'INVALID_URL', message: 'An image needs an https address, or is an upload of this store.' }]
      : [],
  );
}
