/**
 * The tag of a product (`ETag`, `If-Match`): its version, and the stock of its variants, which sales and stock changes move without it
 * (D92).
 */
import { createHash } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ProductWithVariants, VariantRow } from './queries.ts';

/** What a writer has read; `stock`: null in a tag of before, which tells none. */
interface Tag {
  readonly version: number;
  readonly stock: string | null;
}
/** `If-Match`: one of these has to hold; null when none was sent, or `*`. */
export type Precondition = readonly Tag[] | null;
type Counted = Pick<VariantRow, 'variantId' | 'stockQuantity'>;

const stockTag = (variants: readonly Counted[]): string => {
  const counts = variants.map(({ variantId, stockQuantity }) => `${variantId}=${stockQuantity}`);
  return createHash('sha256').update(counts.toSorted().join()).digest('base64url').slice(0, 12);
};

/** `"7-Vx0aP9_k2QeT"` */
export const tagOf = ({ product, variants }: Pick<ProductWithVariants, 'product' | 'variants'>): string =>
  `"${product.version}-${stockTag(variants)}"`;

/** Parses `If-Match`, a list of tags too. A weak tag, or one that is not ours, never matches (RFC 9110). */
export function preconditionOf(ifMatch: string): Precondition {
  if (ifMatch === '' || ifMatch.trim() === '*') return null;
  return ifMatch.split(',').flatMap((tag) => {
    const [, version, stock] = /^"(\d{1,9})(?:-([\w-]{12}))?"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [{ version: Number(version), stock: stock ?? null }];
  });
}

/**
 * PRECONDITION_FAILED unless what the writer has read still holds. `variants`: those of the product, locked, where the writer sends stock;
 * a writer that sends none is not in the way of a sale.
 */
export function checkTag(precondition: Precondition, version: number, variants: readonly Counted[] | null): void {
  if (precondition === null) return;
  const stock = variants && stockTag(variants);
  const holds = precondition.some((tag) => tag.version === version && (stock === null || tag.stock === stock));
  if (!holds) throw new Fault('PRECONDITION_FAILED', { details: { version } });
}
