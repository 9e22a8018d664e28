/** A store's address book: addresses of dispatch and return (docs/contract.md#addresses). */
import { ADDRESS_TYPES, type AddressType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { type SellerAddress, SellerAddressEntity } from './entities.ts';

export async function findAddress({ em, storeId }: Tx, addressId: string): Promise<SellerAddress> {
  const address = await em.findOne(SellerAddressEntity, { storeId, addressId });
  if (!address) throw new Fault('ADDRESS_NOT_FOUND');
  return address;
}

/** The default first, then the newest; of one type, or of both. */
export const listAddresses = ({ em, storeId }: Tx, type: AddressType | null): Promise<SellerAddress[]> =>
  em.find(
    SellerAddressEntity,
    { storeId, ...(type && { type }) },
    { orderBy: { type: 'desc', isDefault: 'desc', createdAt: 'desc', addressId: 'desc' } },
  );

/** The default address of each type, or null. A product that refers to one protects it from deletion by its foreign key. */
export async function defaultAddresses({ em, storeId }: Tx): Promise<Readonly<Record<AddressType, SellerAddress | null>>> {
  const found = await em.find(SellerAddressEntity, { storeId, isDefault: true });
  const of = (type: AddressType) => found.find((address) => address.type === type) ?? null;
  return Object.fromEntries(ADDRESS_TYPES.map((type) => [type, of(type)])) as Record<AddressType, SellerAddress | null>;
}

/** Checks that an address exists and has this type: ADDRESS_NOT_FOUND, INVALID_ADDRESS_TYPE. */
export async function checkAddress(tx: Tx, addressId: string, type: AddressType): Promise<void> {
  const { type: found } = await findAddress(tx, addressId);
  if (found !== type) throw new Fault('INVALID_ADDRESS_TYPE');
}
