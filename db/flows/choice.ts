/** Which flow an order item takes: its product's, else its category's, else the default of what travels or does not. */
import type { Progression } from '../../domain/flows/graph/graph.ts';
import type { Tx } from '../kernel/tx.ts';

export interface FlowChoice {
  readonly flowId: string;
  readonly key: string;
  readonly name: string;
  /** The newest published one. */
  readonly version: number;
  readonly progression: Progression;
  /** Where it is assigned; PLATFORM: nowhere, it is the default. */
  readonly source: 'PRODUCT' | 'CATEGORY' | 'PLATFORM';
}
interface Row {
  readonly flow_id: string;
  readonly key: string;
  readonly name: string;
  readonly version: number;
  readonly progression: Progression;
  readonly source: FlowChoice['source'];
}

/** A choice for each line, in their order, as it is assigned now; one statement for all. */
export async function chooseFlows(
  { sql, storeId }: Tx,
  lines: readonly { readonly productId: string; readonly isShipped: boolean }[],
): Promise<readonly FlowChoice[]> {
  const productIds = lines.map(({ productId }) => productId);
  const defaults = lines.map(({ isShipped }) => (isShipped ? 'SHIPPING' : 'MANUAL'));
  const rows = await sql<Row>`
    SELECT f.flow_id, f.key, f.name, v.version, v.progression,
           CASE WHEN p.flow_id IS NOT NULL THEN 'PRODUCT' WHEN c.flow_id IS NOT NULL THEN 'CATEGORY' ELSE 'PLATFORM' END AS source
      FROM unnest(${productIds}::text[], ${defaults}::text[]) WITH ORDINALITY AS line (product_id, default_for, n)
      JOIN commerce_flow d ON d.store_id = ${storeId} AND d.default_for = line.default_for
      LEFT JOIN product p ON p.store_id = ${storeId} AND p.product_id = line.product_id
      LEFT JOIN category c ON c.store_id = ${storeId} AND c.category_id = p.category_id
      JOIN commerce_flow f ON f.store_id = ${storeId} AND f.flow_id = coalesce(p.flow_id, c.flow_id, d.flow_id)
      JOIN flow_version v ON v.store_id = ${storeId} AND v.flow_id = f.flow_id AND v.version = f.latest_version
     ORDER BY line.n`;
  return rows.map(({ flow_id: flowId, key, name, version, progression, source }) => ({ flowId, key, name, version, progression, source }));
}
