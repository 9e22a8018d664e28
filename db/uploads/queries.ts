import { type ImageType, uploadKey } from '../../domain/uploads/rules.ts';
import type { Tx } from '../kernel/tx.ts';

/** Those of these addresses that are uploads of this store, with their ids. */
export async function ownUploads(
  { sql, storeId }: Tx,
  addresses: readonly string[],
  publicUrl: string,
): Promise<Readonly<Record<string, string>>> {
  const prefix = `${publicUrl}/uploads/${storeId}/`;
  const candidates = addresses.filter((address) => address.startsWith(prefix));
  if (candidates.length === 0) return {};
  const ids = candidates.map((address) => address.slice(prefix.length).split('.')[0]!);
  const rows = await sql<{ upload_id: string; content_type: ImageType }>`
    SELECT upload_id, content_type FROM upload WHERE store_id = ${storeId} AND upload_id = ANY(${ids}::text[])`;
  const known = new Map(rows.map((row) => [`${publicUrl}/${uploadKey(storeId, row.upload_id, row.content_type)}`, row.upload_id]));
  return Object.fromEntries(candidates.flatMap((address) => (known.has(address) ? [[address, known.get(address)!]] : [])));
}
