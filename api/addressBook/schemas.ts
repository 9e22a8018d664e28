import type { CustomerAddress } from '../../db/customers/entities.ts';
import { Address, closed, Id, Name, Type } from '../declare/schema.ts';

export const BuyerAddressRequest = closed(
  {
    ...Address.properties,
    name: Type.Optional(Name(50)),
    isDefault: Type.Optional(Type.Boolean({ description: 'true makes it the default; the default stays it until another one is' })),
  },
  { title: 'BuyerAddressRequest' },
);
export const BuyerAddress = closed(
  { addressId: Id, ...Address.properties, name: Type.Optional(Type.String()), isDefault: Type.Boolean() },
  { title: 'BuyerAddress' },
);
export const viewBuyerAddress = (row: CustomerAddress) => ({
  addressId: row.addressId,
  receiverName: row.receiverName,
  phone: row.phone,
  zipCode: row.zipCode,
  address1: row.address1,
  ...(typeof row.address2 === 'string' && { address2: row.address2 }),
  ...(typeof row.name === 'string' && { name: row.name }),
  isDefault: row.isDefault,
});
