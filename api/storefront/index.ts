import type { Endpoint } from '../declare/endpoint.ts';
import { getCalendar } from './getCalendar.ts';
import { getProduct } from './getProduct.ts';
import { getStore } from './getStore.ts';
import { listPickupLocations } from './listPickupLocations.ts';
import { listProducts } from './listProducts.ts';

export const storefront: readonly Endpoint[] = [listProducts, getProduct, getCalendar, getStore, listPickupLocations];
