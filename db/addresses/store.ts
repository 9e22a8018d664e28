/** A store's address book: where goods leave from and where they come back to (part A § Other records, D81). */
import { ADDRESS_TYPES, type AddressType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, lockName, sql } from '../orm.ts';
import { type SellerAddress, SellerAddressEntity } from './entities.ts';

const MOST_OF_A_TYPE = 10;

export interface WantedAddress {
  readonly type: AddressType;
  readonly name: string;
  readonly receiver: string;
  readonly mobile: string;
  readonly zipCode: string;
  readonly address: string;
  readonly detailAddress?: string | null;
}

/** Changes of one book happen one after the other: there are at most ten, one default, and an address is as one request wrote it. */
const lockBook = (em: Em, storeId: string) => lockName(em, `addresses/${storeId}`);

/** The first of its type becomes the default; the eleventh is ADDRESS_LIMIT_EXCEEDED. */
export async function addAddress(em: Em, storeId: string, wanted: WantedAddress, at: number): Promise<SellerAddress> {
  await lockBook(em, storeId);
  const count = await em.count(SellerAddressEntity, { storeId, type: wanted.type });
  if (count >= MOST_OF_A_TYPE) throw new Fault('ADDRESS_LIMIT_EXCEEDED');
  const address = em.create(SellerAddressEntity, {
    ...wanted,
    storeId,
    addressId: newId('adr', at),
    isDefault: count === 0,
    createdAt: new Date(at),
  });
  em.persist(address);
  return address;
}

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

/** Replaces an address; its type stays (INVALID_ADDRESS_TYPE). Applies at once to products that use it, never to orders. */
export async function replaceAddress(em: Em, storeId: string, addressId: string, wanted: WantedAddress): Promise<SellerAddress> {
  await lockBook(em, storeId);
  const address = await findAddress(em, storeId, addressId);
  if (address.type !== wanted.type) throw new Fault('INVALID_ADDRESS_TYPE');
  return Object.assign(address, wanted, { detailAddress: wanted.detailAddress ?? null });
}

export async function makeDefault(em: Em, storeId: string, addressId: string): Promise<SellerAddress> {
  await lockBook(em, storeId);
  const address = await findAddress(em, storeId, addressId);
  if (address.isDefault) return address;
  await em.nativeUpdate(SellerAddressEntity, { storeId, type: address.type, isDefault: true }, { isDefault: false });
  address.isDefault = true;
  return address;
}

/** The default stays, even as the only one; one that a product uses is ADDRESS_IN_USE. */
export async function deleteAddress(em: Em, storeId: string, addressId: string): Promise<void> {
  await lockBook(em, storeId);
  const address = await findAddress(em, storeId, addressId);
  if (address.isDefault) throw new Fault('DEFAULT_ADDRESS_UNDELETABLE');
  // Deleted products let go of their addresses.
  const [used] = await sql(
    em,
    'SELECT 1 AS ok FROM product WHERE store_id = ? AND (shipping_address_id = ? OR return_address_id = ?) LIMIT 1',
    [storeId, addressId, addressId],
  );
  if (used) throw new Fault('ADDRESS_IN_USE');
  em.remove(address);
}

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
