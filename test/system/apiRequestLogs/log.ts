/** The request log of a store, as its owner reads it. */
import { expect } from '@jest/globals';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

export interface Logged {
  readonly requestId: string;
  readonly createdAt: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string } | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}
export const bearer = (token: string, more: Headers_ = {}): Headers_ => ({ authorization: `Bearer ${token}`, ...more });
export const requestIdOf = ({ headers }: Reply): string => headers.get('x-request-id')!;

/** A store with a member of each role, and its owner at the console. */
export class Watched {
  readonly shop: World;
  readonly owner: string;
  private constructor(shop: World, owner: string) {
    this.shop = shop;
    this.owner = owner;
  }
  static async open(): Promise<Watched> {
    const shop = await world();
    await people(shop);
    return new Watched(shop, await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId));
  }
  list(search = '', token = this.owner): Promise<Reply> {
    return call(underTest.api, 'GET', `/v1/api-request-logs${search}`, { headers: bearer(token) });
  }
  async items(search = ''): Promise<Logged[]> {
    const { status, body } = await this.list(search);
    expect([search, status, body.error]).toEqual([search, 200, null]);
    return body.data.items as Logged[];
  }
  /** The record of this answer, once it is there. */
  logged(reply: Reply): Promise<Logged> {
    return until('logged', async () => (await this.items(`?requestId=${requestIdOf(reply)}`))[0]);
  }
  /** The stores in whose logs these answers are, once a later request of this store is logged: records are written in their order. */
  async storesOf(...replies: readonly Reply[]): Promise<string[]> {
    await this.logged(await this.shop.seller.call('GET', '/v1/carriers'));
    const rows = await query<{ store_id: string }>('SELECT store_id FROM api_request_log WHERE request_id = ANY ($1)', [
      replies.map(requestIdOf),
    ]);
    return rows.map((row) => row.store_id);
  }
}
