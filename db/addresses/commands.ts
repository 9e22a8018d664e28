/** A store's address book: addresses of dispatch and return (docs/contract.md#addresses). */
import type { AddressType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { lockName, type Tx } from '../kernel/tx.ts';
import { type SellerAddress, SellerAddressEntity } from './entities.ts';
import { findAddress } from './queries.ts';

const MAX_OF_A_TYPE = 10;

export interface WantedAddress {
  readonly type: AddressType;
  readonly name: string;
  readonly receiver: string;
  readonly mobile: string;
  readonly zipCode: string;
  readonly address: string;
  readonly detailAddress?: string | null;
}

/** Serializes changes of one address book: at most ten addresses of a type, one default each, and no lost updates. */
const lockBook = (tx: Tx) => lockName(tx, `addresses/${tx.storeId}`);

/** Adds an address; the first of its type becomes the default, an eleventh is ADDRESS_LIMIT_EXCEEDED. */
export async function addAddress(tx: Tx, wanted: WantedAddress): Promise<SellerAddress> {
  const { em, storeId, at } = tx;
  await lockBook(tx);
  const count = await em.count(SellerAddressEntity, { storeId, type: wanted.type });
  if (count >= MAX_OF_A_TYPE) throw new Fault('ADDRESS_LIMIT_EXCEEDED');
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

/** Replaces an address; its type cannot change (INVALID_ADDRESS_TYPE). Affects products that use it, never existing orders. */
export async function replaceAddress(tx: Tx, addressId: string, wanted: WantedAddress): Promise<SellerAddress> {
  await lockBook(tx);
  const address = await findAddress(tx, addressId);
  if (address.type !== wanted.type) throw new Fault('INVALID_ADDRESS_TYPE');
  return Object.assign(address, wanted, { detailAddress: wanted.detailAddress ?? null });
}

export async function makeDefault(tx: Tx, addressId: string): Promise<SellerAddress> {
  const { em, storeId } = tx;
  await lockBook(tx);
  const address = await findAddress(tx, addressId);
  if (address.isDefault) return address;
  await em.nativeUpdate(SellerAddressEntity, { storeId, type: address.type, isDefault: true }, { isDefault: false });
  address.isDefault = true;
  return address;
}

/** Deletes an address: ADDRESS_IN_USE when a product refers to it, DEFAULT_ADDRESS_UNDELETABLE for a default, even the only one. */
export async function deleteAddress(tx: Tx, addressId: string): Promise<void> {
  const { em, sql, storeId } = tx;
  await lockBook(tx);
  const address = await findAddress(tx, addressId);
  if (address.isDefault) throw new Fault('DEFAULT_ADDRESS_UNDELETABLE');
  // Deleted products no longer refer to addresses.
  const [used] = await sql`SELECT 1 AS ok FROM product WHERE store_id = ${storeId} AND (shipping_address_id = ${addressId}
      OR return_address_id = ${addressId}) LIMIT 1`;
  if (used) throw new Fault('ADDRESS_IN_USE');
  em.remove(address);
}
