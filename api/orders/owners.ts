/** Whose an item or an order is. */
import { checkItemOf } from '../../db/claims/queries.ts';
import type { Customer } from '../../db/customers/queries.ts';
import { customerOf } from '../../db/orders/lookups.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Commands } from '../declare/commands.ts';

interface OfCustomer {
  readonly commands: Commands;
  readonly customer: Customer | null;
}
/** ORDER_ITEM_NOT_FOUND unless the item is the customer's. */
export async function checkOwner({ commands, customer }: OfCustomer, orderItemId: string): Promise<void> {
  const owner = await commands.read((tx) => customerOf(tx, orderItemId));
  if (owner === null || owner !== customer?.customerId) throw new Fault('ORDER_ITEM_NOT_FOUND');
}

/** ORDER_ITEM_NOT_FOUND unless the item is of the order that a guest has proved to be theirs. */
export const checkGuestItem = ({ commands }: Pick<OfCustomer, 'commands'>, orderId: string, orderItemId: string): Promise<void> =>
  commands.read((tx) => checkItemOf(tx, orderId, orderItemId));
