/** A buyer asks for another address before anything is dispatched, and the seller decides (docs/contract.md#address-changes). */
import { isShipped, type Address } from '../checkout/rules.ts';
import { remoteArea, type RemoteArea } from '../checkout/remoteAreas.ts';
import type { PublicStatus } from '../flows/graph/status.ts';
import { Fault } from '../kernel/errors.ts';
import type { FulfillmentMethod } from '../products/rules.ts';

/** The newest request of an order; an earlier one is replaced. */
export interface AddressChange {
  readonly addressChangeId: string;
  readonly status: 'REQUESTED' | 'ACCEPTED' | 'REJECTED';
  readonly shippingAddress: Address;
  /** Business times. */
  readonly requestedAt: number;
  readonly decidedAt: number | null;
  /** Why it was rejected. */
  readonly reason: string | null;
  /** How many requests the order has had. */
  readonly count: number;
}

export interface AddressedOrder {
  /** The area whose surcharge was charged. */
  readonly remoteArea: RemoteArea;
  readonly items: readonly { readonly method: FulfillmentMethod; readonly status: PublicStatus }[];
  readonly addressChange: AddressChange | null;
}

/** Each request is an event to the store's receivers. */
const MAX_REQUESTS = 10;

const BEFORE_DISPATCH: ReadonlySet<PublicStatus> = new Set(['PAID', 'CONFIRMED']);

/**
 * Refuses an address that the order cannot be sent to: INVALID_STATUS unless something has to be shipped and nothing has been, and
 * DELIVERY_AREA_MISMATCH where another remote surcharge would have to be paid.
 */
function checkAddress({ items, remoteArea: charged }: AddressedOrder, { zipCode }: Address): void {
  const shipped = items.filter(({ method, status }) => isShipped({ fulfillmentMethod: method }) && status !== 'CANCELED');
  if (shipped.length === 0 || shipped.some(({ status }) => !BEFORE_DISPATCH.has(status))) throw new Fault('INVALID_STATUS');
  const wanted = remoteArea(zipCode);
  if (wanted !== charged) throw new Fault('DELIVERY_AREA_MISMATCH', { details: { charged, requested: wanted } });
}

/** The order's request after this one: null where the same address waits already. ADDRESS_CHANGE_LIMIT_EXCEEDED. */
export function request(
  order: AddressedOrder,
  address: Address,
  { id, at }: { readonly id: string; readonly at: number },
): AddressChange | null {
  checkAddress(order, address);
  const { addressChange: current } = order;
  if (current?.status === 'REQUESTED' && isSame(current.shippingAddress, address)) return null;
  const count = (current?.count ?? 0) + 1;
  if (count > MAX_REQUESTS) throw new Fault('ADDRESS_CHANGE_LIMIT_EXCEEDED');
  return { addressChangeId: id, status: 'REQUESTED', shippingAddress: address, requestedAt: at, decidedAt: null, reason: null, count };
}

/** The decided request. INVALID_STATUS where none waits; CONCURRENT_UPDATE where another waits than the one that was looked at. */
export function decide(
  order: AddressedOrder,
  { addressChangeId, reason }: { readonly addressChangeId: string; readonly reason: string | null },
  at: number,
): AddressChange {
  const { addressChange: current } = order;
  if (current?.status !== 'REQUESTED') throw new Fault('INVALID_STATUS');
  if (current.addressChangeId !== addressChangeId) throw new Fault('CONCURRENT_UPDATE');
  if (reason === null) checkAddress(order, current.shippingAddress);
  return { ...current, status: reason === null ? 'ACCEPTED' : 'REJECTED', decidedAt: at, reason };
}

const FIELDS = ['receiverName', 'phone', 'zipCode', 'address1', 'address2'] as const;
const isSame = (one: Address, other: Address): boolean => FIELDS.every((field) => (one[field] ?? '') === (other[field] ?? ''));
