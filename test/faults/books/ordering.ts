/** What seller and buyers do with orders: fulfil, cancel whole or in part, claim, and handle claims; at times two of them at once. */
import { GUEST } from '../../../bin/dev/client.ts';
import { CLAIM_ACTIONS, type ClaimAction } from '../claiming.ts';
import type { Answer } from './desk.ts';
import type { Dice } from './dice.ts';
import { day, type Deal, type Shop } from './shop.ts';

interface ShownClaim {
  readonly claimId: string;
  readonly type: 'CANCEL' | 'RETURN' | 'EXCHANGE';
  readonly status: string;
  readonly quantity: number;
}
interface Item {
  readonly orderItemId: string;
  readonly productId: string;
  readonly status: string;
  readonly quantity: number;
  readonly activeQuantity: number;
  readonly claims: readonly ShownClaim[];
  readonly flowState: { readonly key: string };
}
interface Scene {
  readonly shop: Shop;
  readonly dice: Dice;
  readonly deal: Deal;
  readonly item: Item;
}
type Act = () => Promise<unknown>;
type Choice = readonly [weight: number, act: Act];
const CLOSED: ReadonlySet<string> = new Set(['COMPLETED', 'REJECTED', 'WITHDRAWN']);
const isOpen = ({ status }: ShownClaim): boolean => !CLOSED.has(status);
const isShipped = ({ shop, item }: Scene): boolean => shop.specOf(item.productId).shipping !== null;

/** What happens to some order, mostly one of the latest, in up to four turns. */
export async function handleOrder(shop: Shop, dice: Dice): Promise<void> {
  const deals = shop.deals.filter(({ isOver }) => !isOver);
  if (deals.length === 0) return;
  const deal = dice.chance(75) ? deals[Math.max(0, deals.length - 1 - dice.roll(15))]! : dice.pick(deals);
  for (let turns = 0; turns < 4 && !deal.isOver && (turns === 0 || dice.chance(60)); turns++) await takeTurn(shop, dice, deal);
}

/** One or two actions about an item; an order of which nothing is left to do is left alone from then on. */
async function takeTurn(shop: Shop, dice: Dice, deal: Deal): Promise<void> {
  const order = await shop.sell('orders.get', 'GET', `/v1/orders/${deal.orderId}`);
  if (order.status !== 200) return;
  const { items } = order.data as { items: Item[] };
  const open = items.filter(({ activeQuantity, status }) => activeQuantity > 0 && status !== 'PURCHASE_DECIDED');
  deal.isOver = open.length === 0;
  const claimed = open.filter(({ claims }) => claims.some(isOpen));
  const liveliest = claimed.length > 0 && dice.chance(60) ? claimed : open;
  const scene: Scene = { shop, dice, deal, item: dice.pick(liveliest.length > 0 ? liveliest : items) };
  const acts = [choose(scene), ...(dice.chance(15) ? [choose(scene)] : [])];
  await Promise.all(acts.map((act) => act()));
}

function choose(scene: Scene): Act {
  const { item, dice, shop } = scene;
  const claim = item.claims.find(isOpen);
  if (dice.chance(6)) return anything(scene, claim);
  if (claim) return dice.weighted(claimSteps(scene, claim));
  const made = shop.specOf(item.productId).kind === 'CUSTOM' ? customSteps(scene) : null;
  return dice.weighted(made ?? steps(scene));
}

/** Most likely refused. */
function anything(scene: Scene, claim: ShownClaim | undefined): Act {
  const { dice } = scene;
  if (claim && dice.chance(50)) {
    const status = dice.pick(['REQUESTED', 'COLLECTING', 'COLLECTED', 'REDELIVERING']);
    return dice.weighted(claimSteps(scene, { ...claim, status }));
  }
  const status = dice.pick(['PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED']);
  return dice.weighted(steps({ ...scene, item: { ...scene.item, status } }));
}

const seller = ({ shop, item }: Scene, action: string, body: object = {}): Promise<Answer> =>
  shop.sell(`orders.${action}`, 'POST', `/v1/order-items/${item.orderItemId}/${action}`, body);
const DISPATCH = { deliveryMethod: 'NONE' };

function steps(scene: Scene): Choice[] {
  const canceled: Choice = [3, () => cancel(scene)];
  const claimed = (type: ShownClaim['type'], weight: number): Choice => [weight, () => file(scene, type)];
  switch (scene.item.status) {
    case 'PAID':
      return [[10, () => seller(scene, 'confirm')], canceled, claimed('CANCEL', 2)];
    case 'CONFIRMED':
      return [
        [10, () => (isShipped(scene) ? seller(scene, 'dispatch', DISPATCH) : seller(scene, 'fulfill'))],
        canceled,
        claimed('CANCEL', 3),
      ];
    case 'DISPATCHED':
      return [[3, () => seller(scene, 'delivered')], claimed('RETURN', 4), claimed('EXCHANGE', 3)];
    default:
      return [[1, () => decide(scene)], claimed('RETURN', 4), isShipped(scene) ? claimed('EXCHANGE', 3) : canceled];
  }
}

/** Of goods that are made to order: the way of their flow. */
function customSteps(scene: Scene): Choice[] | null {
  const { shop, item } = scene;
  const act = (key: string, body: object): Choice => [5, () => seller(scene, `actions/${key}`, body)];
  const leaving: Choice[] = [
    [2, () => cancel(scene)],
    [2, () => file(scene, 'CANCEL')],
  ];
  switch (item.flowState.key) {
    case 'paid':
      return [act('accept', { input: { madeBy: day(30) } }), ...leaving];
    case 'designing':
      return [act('sendProof', { attachments: [shop.attachment] }), ...leaving];
    case 'proof':
      return [[4, () => buyerActs(scene, 'approve', { agree: true })], ...leaving];
    case 'production':
      return [[4, () => seller(scene, 'dispatch', DISPATCH)], leaving[0]!];
    default:
      return null;
  }
}

const GUEST_KEY = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
/** A request of the buyer: a member by their token, a guest by the order's password. */
function sendAsBuyer(
  { shop, deal }: Scene,
  operation: string,
  paths: { readonly member: string; readonly guest: string },
  body: object = {},
) {
  const { buyer, customerId } = deal.shopper;
  const path = customerId === null ? `/storefront/v1/guest/orders/${deal.orderId}/${paths.guest}` : `/storefront/v1/me/${paths.member}`;
  const sent = customerId === null ? { ...GUEST_KEY, ...body } : body;
  return shop.desk.send(operation, { method: 'POST', path, body: sent, headers: buyer.headers });
}
const buyerActs = (scene: Scene, key: string, input: object): Promise<Answer> => {
  const { orderItemId } = scene.item;
  const paths = { member: `order-items/${orderItemId}/actions/${key}`, guest: `items/${orderItemId}/actions/${key}` };
  return sendAsBuyer(scene, `orders.actAsBuyer ${key}`, paths, { input });
};
const decide = async (scene: Scene): Promise<unknown> => {
  if (scene.deal.shopper.customerId === null) return null;
  return sendAsBuyer(scene, 'orders.decide', { member: `order-items/${scene.item.orderItemId}/decide`, guest: '' });
};

async function cancel(scene: Scene): Promise<void> {
  const { shop, dice, item } = scene;
  const isHeld = dice.chance(20);
  const quantity = dice.chance(70) ? { quantity: 1 + dice.roll(Math.max(1, item.activeQuantity)) } : {};
  const sentAt = performance.now();
  const { status, data } = await seller(scene, 'cancel', { reason: 'OUT_OF_STOCK', ...quantity, ...(isHeld && { holdRefund: true }) });
  if (status !== 200) return;
  const { refundId, ...reported } = data as { refundId: string | null } & Record<string, number>;
  if (isHeld && refundId !== null) shop.heldRefunds.push(refundId);
  const { orderItemId } = item;
  shop.departures.push({ orderItemId, claimId: null, quantity: reported['quantity']!, sentAt, answeredAt: performance.now(), reported });
}

const REASONS: Readonly<Record<ShownClaim['type'], readonly string[]>> = {
  CANCEL: ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY'],
  RETURN: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OTHER'],
  EXCHANGE: ['CHANGE_OF_MIND', 'DEFECTIVE', 'OPTION_CHANGE'],
};
async function file(scene: Scene, type: ShownClaim['type']): Promise<void> {
  const { shop, dice, item } = scene;
  const { orderItemId, activeQuantity } = item;
  const options = shop.products.find(({ productId }) => productId === item.productId)!.variants;
  const body = {
    type,
    reason: dice.pick(REASONS[type]),
    ...(dice.chance(70) && { quantity: 1 + dice.roll(Math.max(1, activeQuantity)) }),
    ...(type === 'EXCHANGE' && dice.chance(60) && { exchangeOptionId: dice.pick(options).variantId }),
  };
  const sentAt = performance.now();
  const paths = { member: `order-items/${orderItemId}/claims`, guest: `items/${orderItemId}/claims` };
  const { status, data } = await sendAsBuyer(scene, `claims.create ${type}`, paths, body);
  if (status !== 201) return;
  const claim = data as ShownClaim;
  if (claim.status === 'COMPLETED') left(scene, claim, sentAt);
}

const left = ({ shop, item: { orderItemId } }: Scene, { claimId, quantity }: ShownClaim, sentAt: number): void =>
  void shop.departures.push({ orderItemId, claimId, quantity, sentAt, answeredAt: performance.now(), reported: null });

function claimSteps(scene: Scene, claim: ShownClaim): Choice[] {
  const { dice } = scene;
  const act = (action: ClaimAction, weight: number, body: object = CLAIM_ACTIONS[action].body): Choice => [
    weight,
    () => handle(scene, claim, { action, body }),
  ];
  const approve: Choice = [6, () => handle(scene, claim, { action: 'approve', body: approval(dice) })];
  const isCollected = claim.type !== 'CANCEL' && isShipped(scene);
  const ended = [act('reject', 2), act('withdraw', 1)];
  switch (claim.status) {
    case 'COLLECTING':
      return [act('completeCollection', 6, inspection(claim, dice)), act('reject', 1)];
    case 'COLLECTED':
      return claim.type === 'RETURN' ? [approve, act('reject', 3)] : [act('redeliver', 6, redelivery(scene)), act('reject', 2)];
    case 'REDELIVERING':
      return [act('completeExchange', 4)];
    case 'HELD':
      return [isCollected ? act('collect', 4) : approve, act('release', 2), ...ended];
    default:
      return [isCollected ? act('collect', 8) : approve, act('hold', 1), ...ended];
  }
}
const approval = (dice: Dice): object => ({
  ...(dice.chance(35) && { deductAmount: dice.pick([0, 500, 3333, 1_000_000]) }),
  ...(dice.chance(20) && { holdRefund: true }),
});
function inspection({ quantity }: ShownClaim, dice: Dice): object {
  if (dice.chance(50)) return {};
  const soundQuantity = dice.roll(quantity + 1);
  const damagedQuantity = dice.roll(quantity - soundQuantity + 1);
  return { soundQuantity, damagedQuantity, missingQuantity: quantity - soundQuantity - damagedQuantity };
}
function redelivery({ shop, dice, item }: Scene): object {
  const { variants } = shop.products.find(({ productId }) => productId === item.productId)!;
  return { ...CLAIM_ACTIONS.redeliver.body, ...(dice.chance(40) && { optionId: dice.pick(variants).variantId }) };
}

async function handle(
  scene: Scene,
  claim: ShownClaim,
  { action, body }: { readonly action: ClaimAction; readonly body: object },
): Promise<void> {
  const { claimId } = claim;
  const sentAt = performance.now();
  const { status, data } =
    action === 'withdraw'
      ? await sendAsBuyer(scene, 'claims.withdraw', { member: `claims/${claimId}/withdraw`, guest: `claims/${claimId}/withdraw` })
      : await scene.shop.sell(`claims.${action}`, 'POST', `/v1/claims/${claimId}/${CLAIM_ACTIONS[action].path}`, body);
  if (status !== 200 || (action !== 'approve' && action !== 'completeExchange')) return;
  left(scene, claim, sentAt);
  if (action !== 'approve') return;
  const { deductAmount, holdRefund } = body as { deductAmount?: number; holdRefund?: boolean };
  if (deductAmount !== undefined) scene.shop.deductions.set(claimId, deductAmount);
  const { refundId } = data as { refundId: string | null };
  if (holdRefund && refundId !== null) scene.shop.heldRefunds.push(refundId);
}
