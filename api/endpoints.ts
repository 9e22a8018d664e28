/** All operations that are served. */
import { addressBook } from './addressBook/index.ts';
import { analytics } from './analytics/index.ts';
import { addresses } from './addresses/index.ts';
import { apiRequestLogs } from './apiRequestLogs/index.ts';
import { apiTokens } from './apiTokens/index.ts';
import { auditLogs } from './auditLogs/index.ts';
import { approvals } from './approvals/index.ts';
import { auth } from './auth/index.ts';
import { cart } from './cart/index.ts';
import { categories } from './categories/index.ts';
import { checkout } from './checkout/index.ts';
import { claims } from './claims/index.ts';
import { clients } from './clients/index.ts';
import { consents } from './consents/index.ts';
import { customers } from './customers/index.ts';
import { events } from './events/index.ts';
import { flows } from './flows/index.ts';
import { invitations } from './invitations/index.ts';
import { me } from './me/index.ts';
import { members } from './members/index.ts';
import { orders } from './orders/index.ts';
import { payments } from './payments/index.ts';
import { paymentSettings } from './paymentSettings/index.ts';
import { pickupLocations } from './pickupLocations/index.ts';
import { points } from './points/index.ts';
import { products } from './products/index.ts';
import { refunds } from './refunds/index.ts';
import { salesReport } from './salesReport/index.ts';
import { inquiries } from './inquiries/index.ts';
import { reviews } from './reviews/index.ts';
import { sandbox } from './sandbox/index.ts';
import { settlements } from './settlements/index.ts';
import { storefront } from './storefront/index.ts';
import { stores } from './stores/index.ts';
import { uploads } from './uploads/index.ts';
import { visits } from './visits/index.ts';
import { webhooks } from './webhooks/index.ts';
import { wishlist } from './wishlist/index.ts';
import type { Endpoint } from './declare/endpoint.ts';

export const endpoints: readonly Endpoint[] = [
  stores,
  paymentSettings,
  members,
  invitations,
  me,
  clients,
  apiTokens,
  approvals,
  sandbox,
  addresses,
  pickupLocations,
  categories,
  products,
  flows,
  uploads,
  auth,
  customers,
  addressBook,
  wishlist,
  consents,
  storefront,
  cart,
  checkout,
  payments,
  points,
  refunds,
  orders,
  claims,
  salesReport,
  analytics,
  visits,
  reviews,
  inquiries,
  settlements,
  webhooks,
  events,
  apiRequestLogs,
  auditLogs,
].flat();
