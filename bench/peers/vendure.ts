/** Vendure's shop API, called as its documentation of a shop's checkout does. */
import { randomUUID } from 'node:crypto';
import { request } from './http.ts';
import type { Project } from './project.ts';
import { PRODUCT_LIST, type Visits } from './shop.ts';

interface Seeded {
  readonly variantId: string;
  readonly shippingMethodId: string;
  readonly payment: string;
}
type Result = Readonly<Record<string, { readonly __typename?: string; readonly state?: string; readonly message?: string }>>;

const ADD = `mutation ($id: ID!) { result: addItemToOrder(productVariantId: $id, quantity: 1) {
  __typename ... on Order { id code state totalWithTax lines { id quantity linePriceWithTax } } ... on ErrorResult { message } } }`;
const CUSTOMER = `mutation ($input: CreateCustomerInput!) { result: setCustomerForOrder(input: $input) {
  __typename ... on Order { id state customer { id emailAddress } } ... on ErrorResult { message } } }`;
const ADDRESS = `mutation ($input: CreateAddressInput!) { result: setOrderShippingAddress(input: $input) {
  __typename ... on Order { id state shippingAddress { fullName streetLine1 city countryCode } } ... on ErrorResult { message } } }`;
const SHIPPING = `mutation ($ids: [ID!]!) { result: setOrderShippingMethod(shippingMethodId: $ids) {
  __typename ... on Order { id state shippingWithTax totalWithTax } ... on ErrorResult { message } } }`;
const ARRANGE = `mutation { result: transitionOrderToState(state: "ArrangingPayment") {
  __typename ... on Order { id state } ... on ErrorResult { message } } }`;
const PAY = `mutation ($input: PaymentInput!) { result: addPaymentToOrder(input: $input) {
  __typename ... on Order { id code state payments { id state } } ... on ErrorResult { message } } }`;
const PRODUCTS = `query ($skip: Int!) { result: products(options: { take: 20, skip: $skip }) { totalItems items {
  id name slug description variants { id sku priceWithTax stockLevel options { id name } } } } }`;
const SEARCH = `query ($skip: Int!) { result: search(input: { take: 20, skip: $skip, groupByProduct: true }) { totalItems items {
  productId productName slug description inStock priceWithTax { ... on PriceRange { min max } ... on SinglePrice { value } } } } }`;

export const vendure: Project = {
  name: 'vendure',
  env: () => ({ VENDURE_DISABLE_TELEMETRY: 'true' }),
  seed: ({ databaseUrl, port, seeded }) => [['seed.mjs', databaseUrl, port, seeded]],
  serve: ({ databaseUrl, port }) => ['server.mjs', databaseUrl, port],
  visits: (base, seeded) => visits(base, seeded as Seeded),
};

function visits(base: string, seeded: Seeded): Visits {
  const send = async (query: string, variables: object, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { body, headers: answered } = await request(`${base}/shop-api`, headers, { query, variables });
    const { data, errors } = body as { data?: Result; errors?: unknown };
    const result = data?.['result'];
    if (!result || 'message' in result) throw new Error(`Vendure: ${JSON.stringify(errors ?? result)}`);
    return { result, token: token ?? answered.get('vendure-auth-token') ?? undefined };
  };
  const buy = async () => {
    const { token } = await send(ADD, { id: seeded.variantId });
    const emailAddress = `buyer-${randomUUID()}@example.com`;
    await send(CUSTOMER, { input: { firstName: 'Bench', lastName: 'Buyer', phoneNumber: '010-1234-5678', emailAddress } }, token);
    const address = { fullName: 'Bench Buyer', streetLine1: 'Teheran-ro 1', city: 'Seoul', postalCode: '06236', countryCode: 'KR' };
    await send(ADDRESS, { input: address }, token);
    await send(SHIPPING, { ids: [seeded.shippingMethodId] }, token);
    await send(ARRANGE, {}, token);
    const { result } = await send(PAY, { input: { method: seeded.payment, metadata: {} } }, token);
    if (result.state !== 'PaymentSettled') throw new Error(`Vendure: not paid: ${JSON.stringify(result)}`);
  };
  const page = (query: string) => (i: number) => send(query, { skip: 20 * (i % 5) });
  return { buy, lists: { [PRODUCT_LIST]: page(PRODUCTS), 'the same by its search index': page(SEARCH) } };
}
