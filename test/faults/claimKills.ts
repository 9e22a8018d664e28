/** Every transition of a claim, with the worker killed at it: before its commit, after it, and at the provider's answer to its refund. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Buyer, pay, type Reply } from '../../bin/dev/client.ts';
import { until } from '../../bin/dev/until.ts';
import type { Failpoint } from '../../db/kernel/failpoint.ts';
import type { ClaimStatus, ClaimType } from '../../domain/claims/rules.ts';
import { type ClaimAction, CLAIM_ACTIONS } from './claiming.ts';
import { type Bench, retryOnFailure } from './harness.ts';
import type { Promised } from './load.ts';

interface Transition {
  readonly type: ClaimType;
  /** What comes before it, undisturbed. */
  readonly before: readonly ClaimAction[];
  /** `elapsed`: the end of a hold. */
  readonly event: ClaimAction | 'elapsed';
  readonly status: ClaimStatus;
  /** The provider is asked for a refund afterwards. */
  readonly pays?: true;
}
const collected = ['collect', 'completeCollection'] as const;
/** The one that moves money and stock. */
const PAID_BACK: readonly Transition[] = [{ type: 'RETURN', before: collected, event: 'approve', status: 'COMPLETED', pays: true }];
/** The other commands of a claim's run, and the end of its timer. */
const OTHERS: readonly Transition[] = [
  { type: 'RETURN', before: collected, event: 'reject', status: 'REJECTED' },
  { type: 'EXCHANGE', before: collected, event: 'redeliver', status: 'REDELIVERING' },
  { type: 'CANCEL', before: [], event: 'approve', status: 'COMPLETED', pays: true },
  { type: 'EXCHANGE', before: [...collected, 'redeliver'], event: 'completeExchange', status: 'COMPLETED' },
  { type: 'RETURN', before: [], event: 'collect', status: 'COLLECTING' },
  { type: 'RETURN', before: ['collect'], event: 'completeCollection', status: 'COLLECTED' },
  { type: 'RETURN', before: [], event: 'hold', status: 'HELD' },
  { type: 'RETURN', before: ['hold'], event: 'release', status: 'REQUESTED' },
  { type: 'RETURN', before: ['hold'], event: 'elapsed', status: 'REQUESTED' },
  { type: 'CANCEL', before: [], event: 'withdraw', status: 'WITHDRAWN' },
];
/** `npm run faults` has all of them. */
const TRANSITIONS = process.env['CLAIM_KILLS'] === 'all' ? [...PAID_BACK, ...OTHERS] : PAID_BACK;

interface Filed {
  readonly claimId: string;
  readonly attemptId: string;
}
type Bought = Omit<Filed, 'claimId'> & { readonly orderItemId: string };

export class ClaimKills {
  readonly #under: Bench;
  readonly #armed: string;
  readonly #buyer: Buyer;
  readonly #promised: Promised;
  /** One claim after the other is brought to its first kill: whatever is under way when a worker dies waits ten seconds. */
  #line: Promise<unknown> = Promise.resolve();
  private constructor(under: Bench, armed: string, buyer: Buyer, promised: Promised) {
    this.#under = under;
    this.#armed = armed;
    this.#buyer = buyer;
    this.#promised = promised;
  }
  /** `armed`: the folder of FAILPOINTS_ARMED. */
  static async start(under: Bench, armed: string, promised: Promised): Promise<ClaimKills> {
    return new ClaimKills(under, armed, await Buyer.join(under.system.api, under.store.storeCode), promised);
  }

  /** A claim that is filed while the API is killed at `failpoint`; its answer, and the answer under the same key afterwards. */
  async filedAt(failpoint: Failpoint, type: ClaimType): Promise<readonly Reply[]> {
    const { orderItemId } = await this.#bought(type);
    const key = { 'idempotency-key': `${orderItemId}-claim` };
    const send = () => this.#file(orderItemId, type, key);
    const isKilled = this.#arm([failpoint]);
    const replies = [await answered(send), await answered(send)];
    await until('the kill', isKilled);
    const { claimId, status } = replies[0]!.body.data as { claimId: string; status: ClaimStatus };
    this.#promised.claims.set(claimId, status);
    return replies;
  }

  /** All answers: of commands side by side, then of ends of holds, whose clock is that of all claims. */
  async all(): Promise<readonly Reply[]> {
    const isCommand = ({ event }: Transition) => event !== 'elapsed';
    const replies = await Promise.all(TRANSITIONS.filter(isCommand).map((transition) => this.#killed(transition)));
    for (const transition of TRANSITIONS) if (!isCommand(transition)) await this.#killed(transition);
    return replies.flat();
  }
  /** The answers of a transition, under the same key; none of the end of a hold. */
  async #killed(transition: Transition): Promise<readonly Reply[]> {
    const { type, before, event, status, pays } = transition;
    const claim = await this.#filed(type);
    for (const action of before) await answered(() => this.#act(claim, action));
    const { claimId, attemptId } = claim;
    // The end of a hold may also be found by a load, when the reconciler comes first.
    const events = event === 'elapsed' ? [event, 'load'] : [event];
    const at = (failpoint: Failpoint) => this.#arm(events.map((name) => `${failpoint}@${claimId}.${name}`));
    const send = async () => {
      if (event !== 'elapsed') return [await answered(() => this.#act(claim, event))];
      await answered(() => this.#under.seller.call('POST', '/v1/sandbox/clock', { advance: 'P7D' }));
      return [];
    };
    let sent: Promise<readonly Reply[]> | undefined;
    const kills: (() => Promise<boolean>)[] = [];
    const begun = this.#line.then(async () => {
      kills.push(at('transition.before-commit'), at('transition.after-commit'));
      if (pays) kills.push(this.#arm([`provider.after-answer@${attemptId}`]));
      sent = send();
      await until('the first kill', kills[0]!, 60_000);
    });
    this.#line = begun.catch(() => {});
    await begun;
    const replies = [...(await sent!), ...(event === 'elapsed' ? [] : [await answered(() => this.#act(claim, event))])];
    for (const isKilled of kills) await until('every kill', isKilled, 90_000);
    await until('the transition', async () => (await this.#status(claimId)) === status, 90_000);
    this.#promised.claims.set(claimId, status);
    return replies;
  }

  /** Arms a failpoint for whichever of these passes it first; whether it has killed. */
  #arm(names: readonly string[]): () => Promise<boolean> {
    const files = names.map((name) => join(this.#armed, name));
    for (const file of files) writeFileSync(file, '');
    return () => {
      const isKilled = files.some((file) => !existsSync(file));
      if (isKilled) for (const file of files) rmSync(file, { force: true });
      return Promise.resolve(isKilled);
    };
  }
  async #status(claimId: string): Promise<ClaimStatus> {
    return (await answered(() => this.#under.seller.call('GET', `/v1/claims/${claimId}`))).body.data.status as ClaimStatus;
  }
  #act({ claimId }: Filed, action: ClaimAction): Promise<Reply> {
    const { path, body } = CLAIM_ACTIONS[action];
    const key = { 'idempotency-key': `${claimId}-${action}` };
    return action === 'withdraw'
      ? this.#buyer.call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {}, key)
      : this.#under.seller.call('POST', `/v1/claims/${claimId}/${path}`, body, key);
  }
  #file(orderItemId: string, type: ClaimType, key: Readonly<Record<string, string>>): Promise<Reply> {
    return this.#buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type, reason: 'CHANGE_OF_MIND' }, key);
  }
  async #filed(type: ClaimType): Promise<Filed> {
    const { orderItemId, attemptId } = await this.#bought(type);
    await answered(() => this.#under.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': orderItemId }));
    const dispatch = { deliveryMethod: 'NONE' };
    const key = { 'idempotency-key': `${orderItemId}-dispatch` };
    if (type !== 'CANCEL') await answered(() => this.#under.seller.call('POST', `/v1/order-items/${orderItemId}/dispatch`, dispatch, key));
    const filed = await answered(() => this.#file(orderItemId, type, { 'idempotency-key': `${orderItemId}-claim` }));
    return { claimId: filed.body.data.claimId as string, attemptId };
  }
  /** An item of two units; of one that is to be sent back, before its dispatch. */
  async #bought(type: ClaimType): Promise<Bought> {
    const { checkoutId } = (await answered(() => this.#buyer.checkout(this.#under.productId, 2))).body.data as { checkoutId: string };
    const started = await answered(() => this.#buyer.start(checkoutId));
    const { paymentId, attemptId, payUrl } = started.body.data as Record<'paymentId' | 'attemptId' | 'payUrl', string>;
    await pay(payUrl).catch(() => null);
    const isCompleted = async () => {
      const { data } = (await this.#buyer.status(paymentId).catch(() => null))?.body ?? {};
      return data?.status === 'completed' ? (data.orderId as string) : null;
    };
    // The worker that was killed last may have taken the confirm with it, which is noticed by its timeout.
    const orderId = await until(`an order for a ${type}`, isCompleted, 90_000);
    this.#promised.orders.set(paymentId, orderId);
    const order = await answered(() => this.#under.seller.call('GET', `/v1/orders/${orderId}`));
    return { orderItemId: order.body.data.items[0].orderItemId as string, attemptId };
  }
}

/** Repeats a request with the same idempotency key until there is a response that is not a 5xx. */
export const answered = (request: () => Promise<Reply>): Promise<Reply> =>
  retryOnFailure(async () => {
    const reply = await request();
    if (reply.status >= 500 || reply.body.error?.code === 'IDEMPOTENCY_IN_PROGRESS')
      throw new Error(`${reply.status} ${reply.body.error?.code}`);
    return reply;
  });
