import { answered, requestAddressChange as request } from '../../db/orders/addressChanges.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from './guestOrders.ts';
import { Address, closed } from '../declare/schema.ts';
import { ADDRESS_CHANGE_ERRORS } from './addressChange.ts';
import { BuyerOrder } from './schemas.ts';

export const requestAddressChangeAsGuest = endpoint({
  id: 'orders.requestAddressChangeAsGuest',
  route: 'POST /storefront/v1/guest/orders/{orderId}/address-change',
  summary: 'Ask for another shipping address of a guest order before anything is dispatched',
  access: 'storefront',
  change: 'here',
  idempotent: true,
  verifiesPassword: true,
  body: closed({ ...guestFields, shippingAddress: Address }, { title: 'GuestAddressChangeRequest' }),
  data: BuyerOrder,
  errors: ADDRESS_CHANGE_ERRORS,
})
  .before(verifyGuest)
  .handle(async ({ tx, prepared: orderId, body, at }) => {
    await request(tx, orderId, body.shippingAddress);
    return answered(tx, await viewBuyerOrder(tx, await readOrder(tx, orderId), at));
  });
