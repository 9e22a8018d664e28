/** A running shop system, whoever made it. */
export interface Shop {
  /** Its server processes and Postgres; what stands for others, such as a payment provider, is not among them. */
  readonly processes: () => readonly { readonly name: string; readonly pid: number }[];
  /** One order: session or cart, address, shipping, payment, completion. */
  readonly buy: () => Promise<void>;
  /** Lists of 20 of 100 products by name; `i` chooses one of five pages. */
  readonly lists: Readonly<Record<string, (i: number) => Promise<unknown>>>;
  readonly stop: () => Promise<void>;
}

/** What its buyers do. */
export type Visits = Pick<Shop, 'buy' | 'lists'>;
export const PRODUCT_LIST = 'product list: 20 of 100';
