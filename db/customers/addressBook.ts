/** A buyer's address book. The customer's row is locked: at most 20 addresses, and one default while there is any. */
import type { Address } from '../../domain/checkout/rules.ts';
import { MAX_BUYER_ADDRESSES } from '../../domain/customers/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { type CustomerAddress, CustomerAddressEntity } from './entities.ts';

export interface WantedBuyerAddress extends Address {
  readonly name?: string;
  /** True makes it the default; false changes nothing, because another one has to become it. */
  readonly isDefault?: boolean;
}
/** The default first, then the newest. */
export const listBuyerAddresses = ({ em, storeId }: Tx, customerId: string): Promise<CustomerAddress[]> =>
  em.find(CustomerAddressEntity, { storeId, customerId }, { orderBy: { isDefault: 'desc', createdAt: 'desc', addressId: 'desc' } });

const columnsOf = ({ receiverName, phone, zipCode, address1, address2, name }: WantedBuyerAddress) => ({
  receiverName,
  phone,
  zipCode,
  address1,
  address2: address2 ?? null,
  name: name ?? null,
});

/** Adds an address; the first becomes the default. ADDRESS_LIMIT_EXCEEDED. */
export async function addBuyerAddress(tx: Tx, customerId: string, wanted: WantedBuyerAddress): Promise<CustomerAddress> {
  const { em, storeId, at } = tx;
  const count = await em.count(CustomerAddressEntity, { storeId, customerId });
  if (count >= MAX_BUYER_ADDRESSES) throw new Fault('ADDRESS_LIMIT_EXCEEDED');
  const isDefault = count === 0 || wanted.isDefault === true;
  if (isDefault) await clearDefault(tx, customerId);
  const address = em.create(CustomerAddressEntity, {
    ...columnsOf(wanted),
    storeId,
    customerId,
    addressId: newId('adr', at),
    isDefault,
    createdAt: new Date(at),
  });
  em.persist(address);
  await em.flush();
  return address;
}

/** ADDRESS_NOT_FOUND. */
export async function replaceBuyerAddress(
  tx: Tx,
  customerId: string,
  addressId: string,
  wanted: WantedBuyerAddress,
): Promise<CustomerAddress> {
  const address = await findOwn(tx, customerId, addressId);
  if (wanted.isDefault && !address.isDefault) {
    await clearDefault(tx, customerId);
    address.isDefault = true;
  }
  return Object.assign(address, columnsOf(wanted));
}

/** Deletes an address; the newest of the others becomes the default where it was that. ADDRESS_NOT_FOUND. */
export async function removeBuyerAddress(tx: Tx, customerId: string, addressId: string): Promise<void> {
  const { em } = tx;
  const address = await findOwn(tx, customerId, addressId);
  em.remove(address);
  await em.flush();
  if (!address.isDefault) return;
  const [newest] = await listBuyerAddresses(tx, customerId);
  if (newest) newest.isDefault = true;
}

const clearDefault = ({ em, storeId }: Tx, customerId: string): Promise<number> =>
  em.nativeUpdate(CustomerAddressEntity, { storeId, customerId, isDefault: true }, { isDefault: false });

async function findOwn({ em, storeId }: Tx, customerId: string, addressId: string): Promise<CustomerAddress> {
  const address = await em.findOne(CustomerAddressEntity, { storeId, customerId, addressId });
  if (!address) throw new Fault('ADDRESS_NOT_FOUND');
  return address;
}
