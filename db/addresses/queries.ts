/** A store's address book: where goods leave from and where they come back to (docs/contract.md#addresses, D81). */
import { ADDRESS_TYPES, type AddressType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Em } from '../kernel/tx.ts';
import { type SellerAddress, SellerAddressEntity } from './entities.ts';

export async function findAddress(em: Em, storeId: string, addressId: string): Promise<SellerAddress> {
  const address = await em.findOne(SellerAddressEntity, { storeId, addressId });
  if (!address) throw new Fault('ADDRESS_NOT_FOUND');
  return address;
}

/** The default first, then the newest; of one type, or of both. */
export const listAddresses = (em: Em, storeId: string, type: AddressType | null): Promise<SellerAddress[]> =>
  em.find(
    SellerAddressEntity,
    { storeId, ...(type && { type }) },
    { orderBy: { type: 'desc', isDefault: 'desc', createdAt: 'desc', addressId: 'desc' } },
  );

/** The default of each type, or null; locked against deletion by whoever refers to them in the same transaction. */
export async function defaultAddresses(em: Em, storeId: string): Promise<Readonly<Record<AddressType, SellerAddress | null>>> {
  const found = await em.find(SellerAddressEntity, { storeId, isDefault: true });
  const of = (type: AddressType) => found.find((address) => address.type === type) ?? null;
  return Object.fromEntries(ADDRESS_TYPES.map((type) => [type, of(type)])) as Record<AddressType, SellerAddress | null>;
}

/** That an id names an address of this type: ADDRESS_NOT_FOUND, INVALID_ADDRESS_TYPE. */
export async function checkAddress(em: Em, storeId: string, addressId: string, type: AddressType): Promise<void> {
  const { type: found } = await findAddress(em, storeId, addressId);
  if (found !== type) throw new Fault('INVALID_ADDRESS_TYPE');
}
