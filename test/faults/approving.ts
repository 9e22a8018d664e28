/** Approval requests in a system whose processes are killed. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { call, type Headers_, type Reply } from '../../bin/dev/client.ts';
import type { System } from '../../bin/dev/system.ts';
import { createApproval } from '../../db/approvals/commands.ts';
import { issueApiToken } from '../../db/identity/apiTokens.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { listMembers } from '../../db/identity/members.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { openOrm } from '../../db/orm.ts';
import { findStore } from '../../db/stores/queries.ts';
import { newApproval, previewed, type Wanted } from '../kernel/approvals.ts';
import { storeToken } from '../kernel/login.ts';

interface Shown {
  readonly status: string;
  readonly result: { readonly code: string } | null;
}

export class Approving {
  readonly #system: System;
  readonly #storeId: string;
  readonly #orm: MikroORM;
  readonly #owner: Headers_;
  private constructor(system: System, storeId: string, orm: MikroORM, owner: Headers_) {
    this.#system = system;
    this.#storeId = storeId;
    this.#orm = orm;
    this.#owner = owner;
  }
  /** The store has an OWNER already (`inviting.ts`). */
  static async start(system: System, { storeId, storeCode }: CreatedStore): Promise<Approving> {
    const owner = { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, storeId, system.api)}` };
    return new Approving(system, storeId, await openOrm(system.databaseUrl, 1), owner);
  }
  close(): Promise<void> {
    return this.#orm.close();
  }
  async #offset(): Promise<number> {
    const store = await inTenant(this.#orm, tenancyOf(this.#storeId, 0, Date.now()), REQUEST, findStore);
    return store!.clockOffsetMs;
  }
  async #inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return inTenant(this.#orm, tenancyOf(this.#storeId, await this.#offset(), Date.now()), REQUEST, work);
  }
  /** Its id. */
  async created(wanted: Wanted): Promise<string> {
    const { tokenId, token } = await this.#inTenant(async (tx) => {
      const [owner] = await listMembers(tx);
      const robot = { name: 'robot', scopes: ['category:rw', 'order:rw'], purpose: 'agent', expiresInDays: null } as const;
      return issueApiToken(tx, { ...robot, createdBy: owner!.userId });
    });
    const changes = await previewed(this.#system.api, { headers: { authorization: `Bearer ${token}` } }, wanted);
    return this.#inTenant(async (tx) => {
      const { approval } = await createApproval(tx, newApproval({ tokenId, principal: tokenId }, { ...wanted, changes }));
      return approval!.approvalId;
    });
  }
  approve(approvalId: string): Promise<Reply> {
    const headers = { ...this.#owner, 'idempotency-key': approvalId };
    return call(this.#system.api, 'POST', `/v1/approval-requests/${approvalId}/approve`, { body: {}, headers });
  }
  async read(approvalId: string): Promise<Shown> {
    const { body } = await call(this.#system.api, 'GET', `/v1/approval-requests/${approvalId}`, { headers: this.#owner });
    return body.data as Shown;
  }
}
