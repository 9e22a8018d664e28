/**
 * Finding products by a part of their name. Row security lets an index serve only operators that cannot leak, and LIKE is none:
 * names are kept as the one and two letters in a row that they hold, which are found by equality.
 */
import { type Em, sql, textArray } from '../kernel/tx.ts';

/** By code points, as Postgres counts letters. */
const letters = (text: string): string[] => Array.from(text.toLowerCase());
const pairs = (of: readonly string[]): string[] => of.slice(1).map((letter, i) => `${of[i]}${letter}`);

/** 머플러 → 머, 플, 러, 머플, 플러. */
const gramsOf = (name: string): string[] => {
  const all = letters(name);
  return [...new Set([...all, ...pairs(all)])];
};
/** What a name must hold to hold the keyword; the name itself is still compared. */
export const gramsWanted = (keyword: string): string[] => {
  const all = letters(keyword);
  return all.length === 1 ? all : [...new Set(pairs(all))];
};

/** Makes a product findable by its name, and by no earlier one. */
export async function indexName(em: Em, storeId: string, productId: string, name: string): Promise<void> {
  await sql(
    em,
    `WITH gone AS (DELETE FROM product_gram WHERE store_id = ? AND product_id = ? AND gram <> ALL(?::text[]))
     INSERT INTO product_gram (store_id, gram, product_id) SELECT ?, gram, ? FROM unnest(?::text[]) gram ON CONFLICT DO NOTHING`,
    [storeId, productId, textArray(gramsOf(name)), storeId, productId, textArray(gramsOf(name))],
  );
}

/** A condition on `product p` for products whose name holds the keyword. */
export const holdsKeyword = `p.product_id IN (SELECT g.product_id FROM product_gram g WHERE g.store_id = ? AND g.gram = ANY(?::text[])
   GROUP BY g.product_id HAVING count(*) = ?) AND strpos(lower(p.name), lower(?)) > 0`;
export const keywordValues = (storeId: string, keyword: string): unknown[] => {
  const grams = gramsWanted(keyword);
  return [storeId, textArray(grams), grams.length, keyword];
};
