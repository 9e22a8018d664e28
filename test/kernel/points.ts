/** Points of a shop's members, over HTTP. */
import { randomUUID } from 'node:crypto';
import { Buyer, type Reply } from '../../bin/dev/client.ts';
import { underTest, type World } from './world.ts';

export interface Member {
  readonly buyer: Buyer;
  readonly customerId: string;
}
export async function joined({ store }: World, email = `member-${randomUUID()}@example.com`): Promise<Member> {
  const buyer = await Buyer.join(underTest.api, store.storeCode, email);
  return { buyer, customerId: customerIdOf(buyer) };
}

/** A member's id, as their token has it. */
export function customerIdOf({ headers }: Buyer): string {
  const [, payload = ''] = headers['authorization']!.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub;
}

export const adjust = ({ seller }: World, customerId: string, body: object, key: string = randomUUID()): Promise<Reply> =>
  seller.call('POST', `/v1/customers/${customerId}/points/adjustments`, body, { 'idempotency-key': key });

export interface ShownPoints {
  readonly balance: number;
  readonly expiringSoon: number;
  readonly lots: readonly { readonly type: string; readonly amount: number; readonly remaining: number; readonly expiresAt: string }[];
}
export const pointsOf = async ({ seller }: World, customerId: string): Promise<ShownPoints> =>
  (await seller.call('GET', `/v1/customers/${customerId}/points`)).body.data as ShownPoints;

export interface ShownEntry {
  readonly historyId: string;
  readonly type: string;
  readonly amount: number;
  readonly balance: number;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}
/** The oldest first. */
export const entriesOf = async ({ seller }: World, customerId: string): Promise<ShownEntry[]> =>
  ((await seller.call('GET', `/v1/customers/${customerId}/points/history?size=100`)).body.data.items as ShownEntry[]).toReversed();
export const nowOf = async ({ seller }: World): Promise<number> =>
  Date.parse((await seller.call('GET', '/v1/sandbox/clock')).body.data.now as string);
