/**
 * Search of products by a part of their name. Under row-level security an index is used only for LEAKPROOF operators, and LIKE is not one:
 * names are indexed by their 1-grams and 2-grams, which are found by equality.
 */
import { type Em, sql, textArray } from '../kernel/tx.ts';

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
export async function indexName(em: Em, storeId: string, productId: string, name: string): Promise<void> {
  await sql(
    em,
    `WITH gone AS (DELETE FROM product_gram WHERE store_id = ? AND product_id = ? AND gram <> ALL(?::text[]))
     INSERT INTO product_gram (store_id, gram, product_id) SELECT ?, gram, ? FROM unnest(?::text[]) gram ON CONFLICT DO NOTHING`,
    [storeId, productId, textArray(gramsOf(name)), storeId, productId, textArray(gramsOf(name))],
  );
}

/** A condition on `product p`: its name contains the keyword. Parameters: `keywordValues`. */
export const holdsKeyword = `p.product_id IN (SELECT g.product_id FROM product_gram g WHERE g.store_id = ? AND g.gram = ANY(?::text[])
   GROUP BY g.product_id HAVING count(*) = ?) AND strpos(lower(p.name), lower(?)) > 0`;
export const keywordValues = (storeId: string, keyword: string): unknown[] => {
  const grams = gramsWanted(keyword);
  return [storeId, textArray(grams), grams.length, keyword];
};
