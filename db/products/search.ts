/**
 * Search of products by a part of their name. Under row-level security an index is used only for LEAKPROOF operators, and LIKE is not one:
 * names are indexed by their 1-grams and 2-grams, which are found by equality.
 */
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

/** By code points, like Postgres. */
const letters = (text: string): string[] => Array.from(text.toLowerCase());
const pairs = (of: readonly string[]): string[] => of.slice(1).map((letter, i) => `${of[i]}${letter}`);

/** 머플러 → 머, 플, 러, 머플, 플러. */
const gramsOf = (name: string): string[] => {
  const all = letters(name);
  return [...new Set([...all, ...pairs(all)])];
};
/** The grams that every name with the keyword has; a necessary condition, so that the name is still compared. */
export const gramsWanted = (keyword: string): string[] => {
  const all = letters(keyword);
  return all.length === 1 ? all : [...new Set(pairs(all))];
};

/** Updates the index of a product's name. */
export async function indexName({ sql, storeId }: Tx, productId: string, name: string): Promise<void> {
  await sql`WITH gone AS (DELETE FROM product_gram WHERE store_id = ${storeId} AND product_id = ${productId}
    AND gram <> ALL(${gramsOf(name)}::text[]))
     INSERT INTO product_gram (store_id, gram, product_id) SELECT ${storeId}, gram, ${productId}
       FROM unnest(${gramsOf(name)}::text[]) gram ON CONFLICT DO NOTHING`;
}

/** A condition on `product p`: its name contains the keyword. */
export function holdsKeyword(storeId: string, keyword: string): Fragment {
  const grams = gramsWanted(keyword);
  return fragment`p.product_id IN (
      SELECT g.product_id FROM product_gram g WHERE g.store_id = ${storeId} AND g.gram = ANY(${grams}::text[])
        GROUP BY g.product_id HAVING count(*) = ${grams.length})
    AND strpos(lower(p.name), lower(${keyword})) > 0`;
}
