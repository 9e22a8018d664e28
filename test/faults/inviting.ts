/** Load of invitations: an OWNER invites, cancels and resends while processes are killed, guests accept; and the invariants of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { seedMembers } from '../../bin/dev/people.ts';
import type { System } from '../../bin/dev/system.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import type { Headers_ } from '../../bin/dev/client.ts';
import { loginAs, storeToken } from '../kernel/login.ts';

/** A store may send this many mails in an hour (docs/contract.md#invitations). */
const MAX_MAILS = 18;
type InvitationEnd = 'PENDING' | 'ACCEPTED' | 'CANCELED';
type SendRequest = (
  method: string,
  path: string,
  body: unknown,
  headers: Headers_,
) => Promise<{ status: number; data: Record<string, unknown> | null }>;

export interface Inviting {
  /** The status in the latest response, by invitation. */
  readonly answered: Map<string, InvitationEnd>;
  run(send: SendRequest, isStopped: () => boolean): Promise<void>;
}

interface Guest {
  readonly email: string;
  readonly bearer: Headers_;
}
const bearer = (token: string): Headers_ => ({ authorization: `Bearer ${token}` });

/** All users log in before the first kill: logins are tested elsewhere. */
export async function startInviting(system: System, { storeId, storeCode }: CreatedStore): Promise<Inviting> {
  const owner = `owner@${storeCode}.example`;
  await seedMembers(system.databaseUrl, storeId, [{ role: 'OWNER', email: owner }]);
  const as = bearer(await storeToken(owner, storeId, system.api));
  const guests: Guest[] = [];
  for (let n = 0; n < MAX_MAILS; n++) {
    const email = `guest${n}@${storeCode}.example`;
    guests.push({ email, bearer: bearer((await loginAs(email, null, system.api)).user.access_token) });
  }
  const answered: Inviting['answered'] = new Map();
  const linkTo = async (email: string): Promise<string | null> => {
    for (let tries = 0; tries < 100; tries++) {
      const mails = (await (await fetch(`${system.simulator}/__sim/mail`)).json()) as { to: string; text: string }[];
      const mail = mails.find(({ to }) => to === email);
      if (mail) return new URL(/https?:\S+/.exec(mail.text)![0]).searchParams.get('token');
      await sleep(200);
    }
    return null;
  };
  const one = async ({ email, bearer: guest }: Guest, n: number, send: SendRequest) => {
    const invited = await send('POST', '/v1/store/invitations', { email, role: 'STAFF' }, as);
    if (invited.status !== 201) return;
    const id = String(invited.data!['invitationId']);
    answered.set(id, 'PENDING');
    if (n % 3 === 0) {
      const canceled = await send('DELETE', `/v1/store/invitations/${id}`, undefined, as);
      if (canceled.status === 200) answered.set(id, 'CANCELED');
    } else if (n % 3 === 1) {
      const token = await linkTo(email);
      const accepted = token === null ? null : await send('POST', '/v1/invitations/accept', { token }, guest);
      if (accepted?.status === 200) answered.set(id, 'ACCEPTED');
    }
  };
  return {
    answered,
    run: async (send, isStopped) => {
      for (const [n, guest] of guests.entries()) if (!isStopped()) await one(guest, n, send);
    },
  };
}

/** All violations as sentences. */
export async function invitationsBroken(pool: Pool, simulator: string, answered: Inviting['answered']): Promise<string[]> {
  const { rows } = await pool.query<{
    invitation_id: string;
    email: string;
    status: string;
    delivery_status: string | null;
    run: boolean;
    member: boolean;
  }>(
    `SELECT i.invitation_id, i.email, i.status, i.delivery_status,
       EXISTS (SELECT 1 FROM run r WHERE r.entity_id = i.invitation_id AND r.done_at IS NULL) AS run,
       EXISTS (SELECT 1 FROM member m JOIN user_account u USING (user_id) WHERE m.store_id = i.store_id AND u.email = i.email) AS member
     FROM invitation i`,
  );
  const found = new Map(rows.map((row) => [row.invitation_id, row]));
  const mails = (await (await fetch(`${simulator}/__sim/mail`)).json()) as { to: string }[];
  const mailed = new Set(mails.map(({ to }) => to));
  return [
    ...[...answered].flatMap(([id, status]) =>
      found.get(id)?.status === status ? [] : [`an invitation was said to be ${status}: ${JSON.stringify(found.get(id))}`],
    ),
    ...rows.flatMap((row) => [
      ...(row.member === (row.status === 'ACCEPTED') ? [] : [`invitation and membership differ: ${JSON.stringify(row)}`]),
      ...(row.run === (row.status === 'PENDING') ? [] : [`an invitation and its run differ: ${JSON.stringify(row)}`]),
      ...(row.delivery_status !== 'SENT' || mailed.has(row.email) ? [] : [`marked as mailed, never mailed: ${JSON.stringify(row)}`]),
      ...(row.status !== 'PENDING' || row.delivery_status === 'SENT' ? [] : [`an invitation was not mailed: ${JSON.stringify(row)}`]),
    ]),
  ];
}
