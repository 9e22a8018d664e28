import { readStore } from '../../db/stores/queries.ts';
import { isOpen, readSettings } from '../../db/paymentSettings/queries.ts';
import { candidatesOf } from '../../domain/paymentSettings/routing.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, nullable, Type } from '../declare/schema.ts';

export const getStore = endpoint({
  id: 'storefront.getStore',
  route: 'GET /storefront/v1/store',
  summary: 'What a shop needs to know of its store',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  data: closed(
    {
      storeCode: Type.String(),
      name: Type.String(),
      checkoutAvailable: Type.Boolean({ description: 'There is a way to pay: show the order button' }),
      guestCheckout: Type.Boolean(),
      termsVersion: nullable(Type.String()),
      privacyVersion: nullable(Type.String()),
      termsUrl: nullable(Type.String()),
      privacyUrl: nullable(Type.String()),
    },
    { title: 'StorefrontStore' },
  ),
}).handle(async ({ tx }) => {
  const [store, settings] = [await readStore(tx), await readSettings(tx)];
  return {
    storeCode: store.storeCode,
    name: store.name,
    checkoutAvailable: isOpen(settings) && candidatesOf(settings).length > 0,
    guestCheckout: store.guestCheckoutEnabled,
    termsVersion: store.termsVersion ?? null,
    privacyVersion: store.privacyVersion ?? null,
    termsUrl: store.termsUrl ?? null,
    privacyUrl: store.privacyUrl ?? null,
  };
});
