/** The audit log of a store, as its owner reads it, and transactions of the app on the database under test. */
import { expect } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { recordRequest, type RequestRecord } from '../../../db/audit/commands.ts';
import { newId } from '../../../db/kernel/clock.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { roleUrl } from '../../kernel/database.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

export interface Logged {
  readonly auditId: string;
  readonly source: string;
  readonly createdAt: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string | null } | null;
  readonly requestId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export const openApp = (): Promise<MikroORM> => openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);

/** A store with a member of each role, and its owner at the console. */
export class Audited {
  readonly shop: World;
  readonly owner: string;
  private constructor(shop: World, owner: string) {
    this.shop = shop;
    this.owner = owner;
  }
  static async open(): Promise<Audited> {
    const shop = await world();
    await people(shop);
    return new Audited(shop, await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId));
  }
  email(role: string): string {
    return `${role}@${this.shop.store.storeCode}.example`;
  }
  async userId(role: string): Promise<string> {
    const [user] = await query<{ user_id: string }>('SELECT user_id FROM user_account WHERE email = $1', [this.email(role)]);
    return user!.user_id;
  }
  call(method: string, path: string, body?: unknown, token = this.owner): Promise<Reply> {
    return call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
  }
  list(search = '', token = this.owner): Promise<Reply> {
    return this.call('GET', `/v1/audit-logs${search}`, undefined, token);
  }
  async page(search = ''): Promise<{ items: Logged[]; nextCursor: string | null }> {
    const { status, body } = await this.list(search);
    expect([search, status, body.error]).toEqual([search, 200, null]);
    return body.data as { items: Logged[]; nextCursor: string | null };
  }
  items = async (search = ''): Promise<Logged[]> => (await this.page(search)).items;
  /** The DOMAIN records of a target, newest first. */
  ofTarget = (id: string): Promise<Logged[]> => this.items(`?source=DOMAIN&targetId=${id}`);
  /** Records a request at this time, by default now. */
  async request(orm: MikroORM, changes: Partial<RequestRecord> = {}, at = Date.now()): Promise<string> {
    const record = requestRecord({ requestId: newId('req', Date.now()), ...changes });
    await inTenant(orm, tenancy(this.shop.store.storeId, at), REQUEST, (tx) => recordRequest(tx, record));
    return record.requestId;
  }
}

const requestRecord = (changes: Partial<RequestRecord> & Pick<RequestRecord, 'requestId'>): RequestRecord => ({
  actor: { type: 'USER', id: 'usr_x', name: 'Kim' },
  action: 'products.patch',
  target: { type: 'PRODUCT', id: 'prd_x' },
  outcome: 'SUCCEEDED',
  statusCode: 200,
  errorCode: null,
  traceId: null,
  idempotencyKey: null,
  approvalId: null,
  metadata: {},
  ...changes,
});
