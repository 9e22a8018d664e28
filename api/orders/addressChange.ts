/** What is shown of an order's address, and of the one that its buyer has asked for. */
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const ShownAddress = closed({
  receiverName: Type.String(),
  phone: Type.String(),
  zipCode: Type.String(),
  address1: Type.String(),
  address2: Type.Optional(Type.String()),
});
export const AddressChange = closed(
  {
    addressChangeId: Id,
    status: oneOf(['REQUESTED', 'ACCEPTED', 'REJECTED']),
    shippingAddress: ShownAddress,
    requestedAt: Timestamp,
    decidedAt: nullable(Timestamp),
    reason: nullable(Type.String({ description: 'Why it was rejected' })),
  },
  { title: 'AddressChange', description: 'The newest address that the buyer has asked for' },
);
export const ADDRESS_CHANGE_ERRORS = [
  'ORDER_NOT_FOUND',
  'INVALID_STATUS',
  'DELIVERY_AREA_MISMATCH',
  'ADDRESS_CHANGE_LIMIT_EXCEEDED',
] as const;
