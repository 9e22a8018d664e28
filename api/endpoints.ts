/** Every operation, one line per feature. What is not here is not served. */
import { create as createApiToken } from './apiTokens/create.ts';
import { list as listApiTokens } from './apiTokens/list.ts';
import { revoke as revokeApiToken } from './apiTokens/revoke.ts';
import { anonymous } from './auth/anonymous.ts';
import { login } from './auth/login.ts';
import { signup } from './auth/signup.ts';
import { add as addToCart } from './cart/add.ts';
import { change as changeCart } from './cart/change.ts';
import { get as getCart } from './cart/get.ts';
import { remove as removeFromCart } from './cart/remove.ts';
import { create as createCategory } from './categories/create.ts';
import { list as listCategories } from './categories/list.ts';
import { create as createCheckout } from './checkout/create.ts';
import { get as getCheckout } from './checkout/get.ts';
import { quote } from './checkout/quote.ts';
import { deactivate as deactivateClient } from './clients/deactivate.ts';
import { get as getClient } from './clients/get.ts';
import { list as listClients } from './clients/list.ts';
import { rotateSecret } from './clients/rotateSecret.ts';
import { accept as acceptInvitation } from './invitations/accept.ts';
import { cancel as cancelInvitation } from './invitations/cancel.ts';
import { create as createInvitation } from './invitations/create.ts';
import { list as listInvitations } from './invitations/list.ts';
import { resend as resendInvitation } from './invitations/resend.ts';
import { change as changeMember } from './members/change.ts';
import { list as listMembers } from './members/list.ts';
import { remove as removeMember } from './members/remove.ts';
import { create as createAddress } from './addresses/create.ts';
import { get as getAddress } from './addresses/get.ts';
import { list as listAddresses } from './addresses/list.ts';
import { makeDefault as makeDefaultAddress } from './addresses/makeDefault.ts';
import { remove as removeAddress } from './addresses/remove.ts';
import { replace as replaceAddress } from './addresses/replace.ts';
import { create as createLocation } from './pickupLocations/create.ts';
import { list as listLocations } from './pickupLocations/list.ts';
import { remove as removeLocation } from './pickupLocations/remove.ts';
import { replace as replaceLocation } from './pickupLocations/replace.ts';
import { get as getCategory } from './categories/get.ts';
import { patch as patchCategory } from './categories/patch.ts';
import { remove as removeCategory } from './categories/remove.ts';
import { getDiscount } from './products/getDiscount.ts';
import { getFlow as getProductFlow } from './products/getFlow.ts';
import { getOptions } from './products/getOptions.ts';
import { patch as patchProduct } from './products/patch.ts';
import { remove as removeProduct } from './products/remove.ts';
import { replace as replaceProduct } from './products/replace.ts';
import { replaceOptions } from './products/replaceOptions.ts';
import { setDiscount } from './products/setDiscount.ts';
import { setStatusMany } from './products/setStatusMany.ts';
import { getStore as getShownStore } from './storefront/getStore.ts';
import { listPickupLocations as listShownLocations } from './storefront/listPickupLocations.ts';
import { readCalendar } from './products/readCalendar.ts';
import { writeCalendar } from './products/writeCalendar.ts';
import { getCalendar as getShownCalendar } from './storefront/getCalendar.ts';
import { create as createUpload } from './uploads/create.ts';
import { createOrderInput } from './uploads/createOrderInput.ts';
import type { Endpoint } from './kernel/endpoint.ts';
import { cancel } from './orders/cancel.ts';
import { listStores } from './me/listStores.ts';
import { correctTracking } from './orders/correctTracking.ts';
import { decide } from './orders/decide.ts';
import { extend } from './orders/extend.ts';
import { getMine } from './orders/getMine.ts';
import { getTracking } from './orders/getTracking.ts';
import { hold } from './orders/hold.ts';
import { listMine } from './orders/listMine.ts';
import { lookUp } from './orders/lookUp.ts';
import { get as getSettlement } from './settlements/get.ts';
import { list as listSettlements } from './settlements/list.ts';
import { carriers } from './orders/carriers.ts';
import { confirm } from './orders/confirm.ts';
import { confirmMany } from './orders/confirmMany.ts';
import { delivered } from './orders/delivered.ts';
import { deliverMany } from './orders/deliverMany.ts';
import { dispatch } from './orders/dispatch.ts';
import { dispatchMany } from './orders/dispatchMany.ts';
import { flow } from './orders/flow.ts';
import { fulfill } from './orders/fulfill.ts';
import { fulfillMany } from './orders/fulfillMany.ts';
import { get as getOrder } from './orders/get.ts';
import { getItem } from './orders/getItem.ts';
import { list as listOrders } from './orders/list.ts';
import { listItems } from './orders/listItems.ts';
import { get as getPayment } from './payments/get.ts';
import { retry } from './payments/retry.ts';
import { start } from './payments/start.ts';
import { status } from './payments/status.ts';
import { changeStock } from './products/changeStock.ts';
import { create as createProduct } from './products/create.ts';
import { get as getProduct } from './products/get.ts';
import { list as listProducts } from './products/list.ts';
import { process as processRefund } from './refunds/process.ts';
import { advanceClock } from './sandbox/advanceClock.ts';
import { readClock } from './sandbox/readClock.ts';
import { getProduct as getShown } from './storefront/getProduct.ts';
import { listProducts as listShown } from './storefront/listProducts.ts';
import { get as getStore } from './stores/get.ts';
import { patch as patchStore } from './stores/patch.ts';
import { create as createWebhook } from './webhooks/create.ts';
import { get as getWebhook } from './webhooks/get.ts';
import { list as listWebhooks } from './webhooks/list.ts';
import { listDeliveries } from './webhooks/listDeliveries.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { redeliverFailed } from './webhooks/redeliverFailed.ts';
import { remove as removeWebhook } from './webhooks/remove.ts';
import { replace as replaceWebhook } from './webhooks/replace.ts';
import { resume } from './webhooks/resume.ts';
import { rotateSecret as rotateWebhookSecret } from './webhooks/rotateSecret.ts';
import { test as testWebhook } from './webhooks/test.ts';
import { list as listEvents } from './events/list.ts';

export const endpoints: readonly Endpoint[] = [
  [listStores],
  [createApiToken, listApiTokens, revokeApiToken],
  [listClients, getClient, rotateSecret, deactivateClient],
  [listMembers, changeMember, removeMember],
  [listInvitations, createInvitation, resendInvitation, cancelInvitation, acceptInvitation],
  [getStore, patchStore],
  [readClock, advanceClock],
  [createAddress, listAddresses, getAddress, replaceAddress, removeAddress, makeDefaultAddress],
  [createLocation, listLocations, replaceLocation, removeLocation],
  [createCategory, listCategories, getCategory, patchCategory, removeCategory],
  [createProduct, listProducts, getProduct, replaceProduct, patchProduct, removeProduct, changeStock, setStatusMany],
  [getOptions, replaceOptions, getDiscount, setDiscount, getProductFlow, writeCalendar, readCalendar],
  [createUpload, createOrderInput],
  [listOrders, getOrder, listItems, getItem, flow, carriers, confirm, dispatch, delivered, fulfill, cancel],
  [hold, correctTracking, getTracking],
  [confirmMany, dispatchMany, deliverMany, fulfillMany],
  [getPayment, processRefund],
  [createWebhook, listWebhooks, getWebhook, replaceWebhook, removeWebhook, rotateWebhookSecret, resume, testWebhook],
  [listDeliveries, redeliver, redeliverFailed, listEvents],
  [listSettlements, getSettlement],
  [anonymous, signup, login],
  [listShown, getShown, getShownCalendar, getShownStore, listShownLocations],
  [getCart, addToCart, changeCart, removeFromCart],
  [createCheckout, getCheckout, quote],
  [start, retry, status],
  [listMine, getMine, decide, extend, lookUp],
].flat();
