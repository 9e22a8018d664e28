/** Common parts of the operations that change a product. */
import { preconditionOf } from '../../db/products/tag.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';

export const CHANGE_ERRORS = [
  'PRODUCT_NOT_FOUND',
  'PRODUCT_CHANGED',
  'PRECONDITION_FAILED',
  'INVALID_PRICE_UNIT',
  'PRICE_CONFLICT',
  'CATEGORY_NOT_FOUND',
  'CATEGORY_NOT_LEAF',
  'ADDRESS_NOT_FOUND',
  'INVALID_ADDRESS_TYPE',
  'FULFILLMENT_TYPE_LOCKED',
  'REFUND_POLICY_NOT_APPLICABLE',
  'INVENTORY_MODE_LOCKED',
  'INVENTORY_MODE_MISMATCH',
  'VARIANT_NOT_FOUND',
  'VARIANT_IN_ORDER',
  'FLOW_NOT_FOUND',
  'FLOW_NOT_PUBLISHED',
] as const satisfies readonly ErrorCode[];

interface ChangeRequest {
  readonly storeId: string;
  readonly params: { readonly productId: string };
  readonly requestId: string;
  readonly header: (name: string) => string;
}
/** The product, and the precondition (`If-Match`) of a change. */
export const changeContext = ({ storeId, params, requestId, header }: ChangeRequest) => ({
  key: { storeId, productId: params.productId },
  basis: { ifMatch: preconditionOf(header('if-match')), reference: requestId },
});
