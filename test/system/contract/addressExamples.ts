/** The part of the walk (examples.ts) about other shipping addresses: a member's request is accepted, a guest's is rejected. */
import { Buyer, GUEST, type Reply } from '../../../bin/dev/client.ts';
import { underTest, type World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

const shippingAddress = {
  receiverName: '카나리아수령',
  phone: '010-9999-0000',
  zipCode: '06237',
  address1: '카나리아길 2',
  address2: '3층',
};

export async function addressChanges(shop: World, note: Note): Promise<void> {
  const product = await shop.product();
  const decide = async (orderId: string, decision: 'accept' | 'reject', request: object) =>
    note(
      `orders.${decision}AddressChange`,
      request,
      await shop.seller.call('POST', `/v1/orders/${orderId}/address-change/${decision}`, request),
    );
  const idOf = ({ addressChange }: Reply['body']['data']) => (addressChange as { addressChangeId: string }).addressChangeId;

  const member = await Buyer.join(underTest.api, shop.store.storeCode);
  const { orderId } = await shop.order(product, 1, member);
  const wanted = { shippingAddress };
  const requested = await member.call('POST', `/storefront/v1/me/orders/${orderId}/address-change`, wanted);
  const addressChangeId = idOf(note('orders.requestAddressChange', wanted, requested));
  await decide(orderId, 'accept', { addressChangeId });

  const { orderId: guests } = await shop.order(product);
  const proof = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
  const sent = { ...proof, shippingAddress };
  const reply = await (await shop.buyer()).call('POST', `/storefront/v1/guest/orders/${guests}/address-change`, sent);
  const rejected = {
    addressChangeId: idOf(note('orders.requestAddressChangeAsGuest', sent, reply)),
    reason: '카나리아사유: 이미 포장했습니다',
  };
  await decide(guests, 'reject', rejected);
}
