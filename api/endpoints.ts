/** Every operation, one line per feature. What is not here is not served. */
import { anonymous } from './auth/anonymous.ts';
import { create as createCategory } from './categories/create.ts';
import { list as listCategories } from './categories/list.ts';
import { create as createCheckout } from './checkout/create.ts';
import { get as getCheckout } from './checkout/get.ts';
import type { Endpoint } from './kernel/endpoint.ts';
import { carriers } from './orders/carriers.ts';
import { confirm } from './orders/confirm.ts';
import { delivered } from './orders/delivered.ts';
import { dispatch } from './orders/dispatch.ts';
import { flow } from './orders/flow.ts';
import { get as getOrder } from './orders/get.ts';
import { getItem } from './orders/getItem.ts';
import { list as listOrders } from './orders/list.ts';
import { listItems } from './orders/listItems.ts';
import { retry } from './payments/retry.ts';
import { start } from './payments/start.ts';
import { status } from './payments/status.ts';
import { changeStock } from './products/changeStock.ts';
import { create as createProduct } from './products/create.ts';
import { get as getProduct } from './products/get.ts';
import { list as listProducts } from './products/list.ts';
import { advanceClock } from './sandbox/advanceClock.ts';
import { readClock } from './sandbox/readClock.ts';
import { get as getStore } from './stores/get.ts';
import { patch as patchStore } from './stores/patch.ts';
import { create as createWebhook } from './webhooks/create.ts';
import { get as getWebhook } from './webhooks/get.ts';
import { list as listWebhooks } from './webhooks/list.ts';
import { listDeliveries } from './webhooks/listDeliveries.ts';

export const endpoints: readonly Endpoint[] = [
  [getStore, patchStore],
  [readClock, advanceClock],
  [createCategory, listCategories],
  [createProduct, listProducts, getProduct, changeStock],
  [listOrders, getOrder, listItems, getItem, flow, carriers, confirm, dispatch, delivered],
  [createWebhook, listWebhooks, getWebhook, listDeliveries],
  [anonymous],
  [createCheckout, getCheckout],
  [start, retry, status],
].flat();
