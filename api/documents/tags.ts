/** The tags of the API reference, in the words of a person who runs a shop and in the order of a shop's day. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** By the feature of an operation's id. */
const TAGS: Readonly<Record<string, Tag>> = {
  stores: { name: 'Store', description: 'What holds for the whole shop: delivery fees, automatic decisions, refund rules, legal texts.' },
  paymentSettings: {
    name: 'Payment settings',
    description: 'Which providers take the payments, with which keys, in which order, and whether real money moves.',
  },
  members: { name: 'Members', description: 'Who works in the shop, and as what.' },
  invitations: { name: 'Invitations', description: 'Bringing somebody into the shop by mail; a link counts for seven days.' },
  me: { name: 'My stores', description: 'The shops that the person who is logged in belongs to.' },
  approvals: {
    name: 'Approvals',
    description: 'What agents ask for and a person decides: each waits for 24 hours and is carried out once.',
  },
  clients: { name: 'Clients', description: 'Programs that are registered with the shop. They register at `/oauth2/register`.' },
  apiTokens: { name: 'API tokens', description: 'Tokens of a person for programs and agents, with scopes of their own; shown once.' },
  sandbox: { name: 'Sandbox clock', description: 'Lets time pass in a sandbox shop: deliveries arrive, decisions fall due.' },
  addresses: { name: 'Addresses', description: 'Where goods leave from and where returns arrive.' },
  pickupLocations: { name: 'Pickup locations', description: 'Where buyers fetch what they bought.' },
  categories: { name: 'Categories', description: 'A tree of at most four levels; products hang on its leaves.' },
  products: { name: 'Products', description: 'Prices, options, stock, calendars and what a product says otherwise than its shop.' },
  flows: {
    name: 'Order flows',
    description: 'How an order lives after it is paid: drawn as a graph, checked, published in versions, given to products.',
  },
  uploads: { name: 'Uploads', description: 'Images of products and of what buyers add to an order.' },
  auth: { name: 'Buyers', description: 'A visit without an account, an account, a login.' },
  customers: { name: 'Customers', description: 'Who has an account in the shop, what they bought and agreed to, and how they leave.' },
  addressBook: { name: 'Address book', description: 'Where a buyer has things sent.' },
  wishlist: { name: 'Wishlist', description: 'Products that a buyer has marked.' },
  consents: { name: 'Consents', description: 'What a buyer agrees to: the terms, the privacy policy, marketing.' },
  storefront: { name: 'Shop window', description: 'What a visitor sees before buying.' },
  cart: { name: 'Cart', description: 'What a buyer means to buy, priced and checked anew at every read.' },
  checkout: { name: 'Checkout', description: 'What is about to be paid: lines, fees and how it is handed over, held for 30 minutes.' },
  payments: { name: 'Payment', description: 'Paying a checkout at a provider, trying again, and how it went.' },
  points: { name: 'Points', description: 'What members earn and spend: the policy of the shop, balances with their lots, every entry.' },
  refunds: { name: 'Refunds', description: 'Money that goes back; a refund on hold waits for its shop.' },
  orders: { name: 'Orders', description: 'What was bought, item by item: prepared, dispatched, delivered, decided, or canceled.' },
  claims: { name: 'Claims', description: 'What buyers cancel, return or exchange, from the request to the money that goes back.' },
  salesReport: { name: 'Sales report', description: 'What was paid and what went back, by day or month, provider and method.' },
  analytics: { name: 'Analytics', description: 'Who visited the shop, from where, and what came of it.' },
  visits: { name: 'Visits', description: 'What the pages of a shop report of their visitors.' },
  reviews: { name: 'Reviews', description: 'What members write about what they bought, with the average of a product.' },
  inquiries: { name: 'Inquiries', description: 'What members want to know of a product, and the answers of the shop.' },
  settlements: { name: 'Settlements', description: 'What the shop is paid out.' },
  webhooks: { name: 'Webhooks', description: 'Telling other systems what happened: subscriptions, deliveries, sending again.' },
  events: { name: 'Events', description: 'Everything that happened, in the order in which it was committed.' },
  apiRequestLogs: { name: 'API requests', description: 'Who requested what of this API in the last seven days, and what was answered.' },
  auditLogs: { name: 'Audit log', description: 'Who changed what, how it ended, and every refund and cancel for good.' },
};
export function tagOf(operationId: string): Tag {
  const feature = operationId.slice(0, operationId.indexOf('.'));
  const tag = TAGS[feature];
  if (!tag) throw new Error(`api/documents/tags.ts has no entry for the feature ${feature}`);
  return tag;
}
