import type { WishlistEntry as Row } from '../../db/customers/wishlist.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { closed, Id, Timestamp, Type, Won } from '../declare/schema.ts';

export const WishlistRequest = closed({ productId: Id }, { title: 'WishlistRequest' });
export const WishlistEntry = closed(
  { productId: Id, productName: Type.String(), salePrice: Won, addedAt: Timestamp },
  { title: 'WishlistEntry' },
);
export const viewEntry = ({ productId, productName, salePriceWon, addedAt }: Row) => ({
  productId,
  productName,
  salePrice: salePriceWon,
  addedAt: koreanOf(addedAt),
});
