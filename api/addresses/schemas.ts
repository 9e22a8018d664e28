import type { SellerAddress } from '../../db/addresses/entities.ts';
import { ADDRESS_TYPES } from '../../domain/products/rules.ts';
import { closed, Id, Name, nullable, oneOf, Phone, Type, ZipCode } from '../declare/schema.ts';

const common = { type: oneOf(ADDRESS_TYPES), name: Name(50), receiver: Name(50), mobile: Phone, zipCode: ZipCode, address: Name(200) };
export const SellerAddressRequest = closed(
  { ...common, detailAddress: Type.Optional(nullable(Type.String({ maxLength: 200 }))) },
  { title: 'SellerAddressRequest' },
);
export const SellerAddressView = closed(
  { ...common, addressId: Id, detailAddress: nullable(Type.String()), isDefault: Type.Boolean() },
  { title: 'SellerAddress' },
);
export const viewAddress = (row: SellerAddress) => ({
  addressId: row.addressId,
  type: row.type,
  name: row.name,
  receiver: row.receiver,
  mobile: row.mobile,
  zipCode: row.zipCode,
  address: row.address,
  detailAddress: row.detailAddress ?? null,
  isDefault: row.isDefault,
});
