import { listAddresses } from '../../db/addresses/queries.ts';
import { ADDRESS_TYPES } from '../../domain/products/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, read } from '../declare/parameters.ts';
import { closed, Type } from '../declare/schema.ts';
import { SellerAddressView, viewAddress } from './schemas.ts';

const Query = Type.Object({ type: named(among(ADDRESS_TYPES), 'Of this type') });

export const list = endpoint({
  id: 'addresses.list',
  route: 'GET /v1/seller-addresses',
  summary: 'List the address book, at most ten of a type, defaults first',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  query: Query,
  data: closed({ items: Type.Array(SellerAddressView) }),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => ({
  items: (await listAddresses(tx, read(Query, query).type ?? null)).map(viewAddress),
}));
