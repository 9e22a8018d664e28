import { listAddresses } from '../../db/addresses/queries.ts';
import { ADDRESS_TYPES, type AddressType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { SellerAddressView, viewAddress } from './schemas.ts';

const isType = (text: string): text is AddressType => ADDRESS_TYPES.some((type) => type === text);

export const list = endpoint({
  id: 'addresses.list',
  route: 'GET /v1/seller-addresses',
  summary: 'List the address book, at most ten of a type, defaults first',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  query: Type.Object({ type: Type.Optional(Type.String({ 'x-document': { enum: ADDRESS_TYPES } })) }),
  data: closed({ items: Type.Array(SellerAddressView) }),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query: { type } }) => {
  if (type !== undefined && !isType(type)) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'type' } });
  return { items: (await listAddresses(tx, type ?? null)).map(viewAddress) };
});
