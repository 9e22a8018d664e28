/** Agents and what they request, created as the API creates it. */
import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { endpoints } from '../../api/endpoints.ts';
import { call, type Headers_ } from '../../bin/dev/client.ts';
import { createApproval, type CreatedApproval, type NewApproval } from '../../db/approvals/commands.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { openOrm } from '../../db/orm.ts';
import { hashKey } from '../../db/runs/operations.ts';
import { people, storeToken } from './login.ts';
import { query, repeated, underTest, until, type World } from './world.ts';

const SCOPES = ['product:rw', 'category:rw', 'order:rw', 'webhook:rw'];

export interface Agent {
  readonly tokenId: string;
  readonly headers: Headers_;
  readonly principal: string;
}
/** What an agent asks for. */
export interface Wanted {
  readonly id: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly changes?: Partial<NewApproval>;
}

function requestOf({ id, params = {} }: Pick<Wanted, 'id' | 'params'>) {
  const endpoint = endpoints.find((one) => one.id === id)!;
  const [method = '', route = ''] = endpoint.route.split(' ');
  return { endpoint, method, path: route.replaceAll(/{(\w+)}/g, (_, name: string) => params[name]!) };
}

/** As the API creates it: `id` is the operation's. */
export function newApproval({ tokenId, principal }: Pick<Agent, 'tokenId' | 'principal'>, wanted: Wanted): NewApproval {
  const { id, params = {}, body = null, headers = {}, key } = wanted;
  const { endpoint, method, path } = requestOf(wanted);
  const sent = key ?? randomUUID();
  const fingerprint = JSON.stringify([id, params, body, headers]);
  return {
    operation: { principal, key: endpoint.change === 'workflow' ? hashKey(sent) : sent, id, fingerprint },
    keyed: key !== undefined,
    reason: 'HIGH_RISK_OPERATION',
    actor: { type: 'AGENT', id: tokenId, name: null, via: null, onBehalfOf: null },
    tokenRef: { kind: 'apiToken', tokenId },
    request: { method, path, params, querystring: '', body, headers },
    preview: { operationId: id, target: null, changes: [], facts: {} },
    requiredScopes: endpoint.scopes ?? [],
    approverRole: endpoint.approver ?? 'ADMIN',
    ...wanted.changes,
  };
}

/** With what it would do, as its dry run tells; without it where it would be refused. */
export async function previewed(api: string, { headers }: Pick<Agent, 'headers'>, wanted: Wanted): Promise<Partial<NewApproval>> {
  const { method, path } = requestOf(wanted);
  const sent = { headers: { ...headers, ...wanted.headers, 'x-svc-dry-run': '1' } };
  const { body } = await repeated(() => call(api, method, path, { ...sent, ...(wanted.body !== undefined && { body: wanted.body }) }));
  return body.meta.code === 'DRY_RUN' ? { preview: (body.data as { preview: NewApproval['preview'] }).preview } : {};
}

/** A shop with its people, who are logged in at the console, and agents. */
export class Desk {
  readonly shop: World;
  readonly #orm: MikroORM;
  readonly #bearers = new Map<string, Headers_>();
  private constructor(shop: World, orm: MikroORM) {
    this.shop = shop;
    this.#orm = orm;
  }
  static async open(shop: World): Promise<Desk> {
    await people(shop);
    return new Desk(shop, await openOrm(underTest.databaseUrl, 4));
  }
  close(): Promise<void> {
    return this.#orm.close();
  }
  email(role: string): string {
    return `${role}@${this.shop.store.storeCode}.example`;
  }
  /** The headers of a person. */
  async person(role: 'owner' | 'admin' | 'staff'): Promise<Headers_> {
    const headers = this.#bearers.get(role) ?? { authorization: `Bearer ${await storeToken(this.email(role), this.shop.store.storeId)}` };
    this.#bearers.set(role, headers);
    return headers;
  }
  /** An agent's token, issued by the owner. */
  async agent(scopes: readonly string[] = SCOPES): Promise<Agent> {
    const body = { name: 'robot', scopes, purpose: 'agent' };
    const issued = await call(underTest.api, 'POST', '/v1/store/api-tokens', { body, headers: await this.person('owner') });
    const { tokenId, token } = issued.body.data as { tokenId: string; token: string };
    return { tokenId, headers: { authorization: `Bearer ${token}` }, principal: tokenId };
  }
  /** In a transaction of the store, at its time. */
  async inTenant<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { storeId } = this.shop.store;
    const [store] = await query<{ offset: string }>('SELECT clock_offset_ms AS offset FROM store WHERE store_id = $1', [storeId]);
    const tenancy = tenancyOf(storeId, Number(store!.offset), Date.now());
    return inTenant(this.#orm, tenancy, REQUEST, work);
  }
  async create(agent: Agent, wanted: Wanted): Promise<CreatedApproval> {
    const changes = wanted.changes?.preview ? wanted.changes : { ...(await previewed(underTest.api, agent, wanted)), ...wanted.changes };
    return this.inTenant((tx) => createApproval(tx, newApproval(agent, { ...wanted, changes })));
  }
  /** Holds locks in a transaction of its own until they are released, once. */
  async lock(
    statement: string,
    values: readonly unknown[],
  ): Promise<{ readonly pid: number; readonly release: (by?: 'ROLLBACK' | 'COMMIT') => Promise<void> }> {
    const holder = new Client({ connectionString: underTest.databaseUrl });
    await holder.connect();
    let isReleased = false;
    await holder.query('BEGIN');
    await holder.query(statement, [...values]);
    const [own] = (await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    return {
      pid: own!.pid,
      release: async (by = 'ROLLBACK') => {
        if (isReleased) return;
        isReleased = true;
        await holder.query(by);
        await holder.end();
      },
    };
  }
  untilStatus(approvalId: string, status: string): Promise<unknown> {
    return until(status, async () => (await this.read(approvalId)).body.data.status === status);
  }
  /** What the record says in the end. */
  async final(approvalId: string): Promise<string> {
    const ended = async () => {
      const { status } = (await this.read(approvalId)).body.data as { status: string };
      return status !== 'EXECUTING' && status;
    };
    return until('executed', ended, 60_000);
  }
  /** One that expires after so many milliseconds. */
  async expiring(agent: Agent, wanted: Wanted, ms: number): Promise<string> {
    const changes = await previewed(underTest.api, agent, wanted);
    return this.inTenant(async (tx) => {
      const { approval } = await createApproval(tx, newApproval(agent, { ...wanted, changes }));
      approval!.expiresAt = new Date(tx.at + ms);
      return approval!.approvalId;
    });
  }
  /** Its id. */
  async created(agent: Agent, wanted: Wanted): Promise<string> {
    return (await this.create(agent, wanted)).approval!.approvalId;
  }
  /** The id of what an agent asks for over HTTP. */
  async requested(agent: Agent, method: string, path: string, body?: object, headers: Headers_ = {}): Promise<string> {
    const sent = { ...(body && { body }), headers: { ...agent.headers, ...headers } };
    const { status, body: answer } = await call(underTest.api, method, path, sent);
    if (status !== 202 || answer.error !== null) throw new Error(`${status}: ${JSON.stringify(answer.error)}`);
    return (answer.data as { approvalId: string }).approvalId;
  }
  /** What approves the preview that is shown now; its status and code, or the request's status. */
  async approval(approvalId: string): Promise<() => Promise<readonly [number, string]>> {
    const { previewDigest } = (await this.read(approvalId)).body.data as { previewDigest: string };
    return async () => {
      const { status, body } = await this.decide(approvalId, 'approve', 'owner', { previewDigest });
      return [status, body.error?.code ?? (body.data.status as string)];
    };
  }
  async decide(
    approvalId: string,
    name: 'approve' | 'reject',
    role: 'owner' | 'admin' = 'owner',
    body: object = {},
    headers: Headers_ = {},
  ) {
    const as = { ...(await this.person(role)), ...headers };
    return call(underTest.api, 'POST', `/v1/approval-requests/${approvalId}/${name}`, { body, headers: as });
  }
  async read(approvalId: string, headers?: Headers_) {
    return call(underTest.api, 'GET', `/v1/approval-requests/${approvalId}`, { headers: headers ?? (await this.person('owner')) });
  }
}
