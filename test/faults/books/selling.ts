/**
 * The seller changes prices and stock: by plain writes and by conditional ones, whose form may be old when it is sent, by adjustments,
 * discounts and calendars; options come and go, and whole products. What each write does to stock is remembered, as far as it is known.
 */
import type { Answer } from './desk.ts';
import type { Dice } from './dice.ts';
import { day, type Form, NIGHTS, type Product, type ReadProduct, type Shop, type Variant } from './shop.ts';

const OLD_FORMS = 6;

export async function sell(shop: Shop, dice: Dice): Promise<void> {
  const act = dice.weighted(ACTS);
  const product = dice.pick(shop.products.filter(({ isDeleted }) => !isDeleted));
  await act(shop, dice, product);
}
type Act = (shop: Shop, dice: Dice, product: Product) => Promise<unknown>;
const ACTS: readonly (readonly [number, Act])[] = [
  [5, changePrice],
  [5, setStock],
  [6, adjustStock],
  [4, plainVariants],
  [6, openForm],
  [11, sendOldForm],
  [5, sendFreshForm],
  [3, plainOptions],
  [3, discount],
  [4, nights],
  [3, points],
  [1, renew],
  [1, processRefund],
];

const path = ({ productId }: Product, rest = ''): string => `/v1/products/${productId}${rest}`;
const isDated = ({ spec }: Product): boolean => spec.kind === 'DATED';
const somePrice = ({ spec }: Product, dice: Dice): number =>
  Math.max(3000, Math.round((spec.salePrice * (80 + dice.roll(50))) / 1000) * 10);
const newStock = ({ spec }: Product, dice: Dice): number => dice.roll(spec.stock + 10);

/** Remembers what a product is now, as the answer to a write has it. */
function learn(product: Product, { status, data }: Answer): readonly Variant[] {
  if (status !== 200) return [];
  const { variants } = data as { variants: readonly Variant[] };
  product.variants = variants;
  return variants;
}

/**
 * Remembers a write that sent stock, by combination. `read`: what a conditional one had read, which is what it has written over; an option
 * that was not there then begins with what is sent.
 */
function note(
  shop: Shop,
  answer: Answer,
  { sent, read }: { readonly sent: readonly Partial<Variant>[]; readonly read: readonly Variant[] | null },
): void {
  if (answer.status !== 200) return;
  const { variants } = answer.data as { variants: readonly Variant[] };
  for (const { variantId, optionValues } of variants) {
    const own = sent.find((one) => one.optionValues?.join() === optionValues.join());
    if (own?.stockQuantity === undefined) continue;
    const before = read?.find((one) => one.variantId === variantId);
    const known = before ? own.stockQuantity - before.stockQuantity : null;
    shop.stockWrites.push({ requestId: answer.requestId, key: variantId, known, what: read ? 'conditional write' : 'plain write' });
  }
}

async function changePrice(shop: Shop, dice: Dice, product: Product): Promise<void> {
  learn(product, await shop.sell('products.patch price', 'PATCH', path(product), { salePrice: somePrice(product, dice) }));
}

async function setStock(shop: Shop, dice: Dice, product: Product): Promise<void> {
  if (isDated(product)) return;
  const { variantId, stockQuantity: seen } = dice.pick(product.variants);
  const stockQuantity = newStock(product, dice);
  // What was seen is old more often than not: CONCURRENT_UPDATE.
  const expected = dice.chance(50) ? { expectedStockQuantity: seen } : {};
  const body = { stockQuantity, ...expected, reason: '실사' };
  const { status, requestId } = await shop.sell('products.changeStock', 'PATCH', path(product, `/variants/${variantId}/stock`), body);
  const known = 'expectedStockQuantity' in expected ? stockQuantity - seen : null;
  if (status === 200) shop.stockWrites.push({ requestId, key: variantId, known, what: 'stock set' });
}

async function adjustStock(shop: Shop, dice: Dice, product: Product): Promise<void> {
  if (isDated(product)) return;
  const { variantId } = dice.pick(product.variants);
  const adjustment = dice.pick([-4, -2, 3, 6, 9]);
  const { status, requestId } = await shop.sell('products.changeStock', 'PATCH', path(product, `/variants/${variantId}/stock`), {
    adjustment,
  });
  if (status === 200) shop.stockWrites.push({ requestId, key: variantId, known: adjustment, what: 'adjustment' });
}

/** PATCH of some variants with the stock that the seller wants, whatever was sold meanwhile. */
async function plainVariants(shop: Shop, dice: Dice, product: Product): Promise<void> {
  if (isDated(product)) return;
  const { optionValues } = dice.pick(product.variants);
  const sent = [
    { optionValues, stockQuantity: newStock(product, dice), ...(dice.chance(40) && { additionalPrice: dice.pick([0, 500, 1500]) }) },
  ];
  const answer = await shop.sell('products.patch variants', 'PATCH', path(product), { variants: sent });
  learn(product, answer);
  note(shop, answer, { sent, read: null });
}

async function read(shop: Shop, product: Product, isOptions: boolean): Promise<Form | null> {
  const whole = await shop.sell('products.get', 'GET', path(product));
  if (whole.status !== 200 || whole.etag === null) return null;
  const form: Form = { product, path: '', etag: whole.etag, data: whole.data as ReadProduct };
  if (!isOptions) return form;
  const { status, etag, data } = await shop.sell('products.getOptions', 'GET', path(product, '/options'));
  return status === 200 && etag !== null ? { product, path: '/options', etag, data: { ...form.data, ...(data as object) } } : null;
}
async function openForm(shop: Shop, dice: Dice, product: Product): Promise<void> {
  const form = await read(shop, product, dice.chance(50));
  if (form) shop.forms.push(form);
}
async function sendOldForm(shop: Shop, dice: Dice, product: Product): Promise<void> {
  if (shop.forms.length <= dice.roll(OLD_FORMS)) return openForm(shop, dice, product);
  return send(shop, dice, shop.forms.shift()!);
}
async function sendFreshForm(shop: Shop, dice: Dice, product: Product): Promise<void> {
  const form = await read(shop, product, dice.chance(50));
  if (form) await send(shop, dice, form);
}

const RETRIES = 4;
/** Sends a form with its tag; what was changed meanwhile is read, and filled in anew. */
async function send(shop: Shop, dice: Dice, first: Form): Promise<void> {
  let form: Form | null = first;
  for (let tries = 0; form && tries < RETRIES; tries++) {
    const { product, data, etag } = form;
    const variants = filledIn(data.variants, product, dice);
    const groups = regrouped(shop, dice, form);
    const remaining = groups.length === 0 ? variants : variants.filter(({ optionValues }) => groups[0]!.values.includes(optionValues[0]!));
    const [method, body] = bodyOf(dice, form, { optionGroups: groups, variants: remaining });
    const answer = await shop.sell(`products.${method} conditional`, method, path(product, form.path), body, { 'if-match': etag });
    learn(product, answer);
    note(shop, answer, { sent: (body as { variants?: Variant[] }).variants ?? [], read: data.variants });
    if (answer.code !== 'PRECONDITION_FAILED') return;
    form = await read(shop, product, form.path === '/options');
  }
}
function bodyOf(dice: Dice, form: Form, options: Pick<ReadProduct, 'optionGroups' | 'variants'>): readonly ['PUT' | 'PATCH', object] {
  const { product, data, path: at } = form;
  if (at === '/options') return ['PUT', options];
  const salePrice = somePrice(product, dice);
  if (dice.chance(40)) return ['PATCH', dice.chance(70) ? { salePrice, ...options } : { salePrice }];
  const { name, categoryId, fulfillment, refundPolicy, flowId } = data;
  return ['PUT', { name, salePrice, categoryId, fulfillment, refundPolicy, flowId, ...options }];
}
/** Some send the stock as they read it, some another one, some none. */
function filledIn(variants: readonly Variant[], product: Product, dice: Dice): Variant[] {
  const isCounted = !isDated(product) && dice.chance(85);
  return variants.map((variant) => {
    const { stockQuantity: _read, ...rest } = variant;
    const counted = { ...variant, ...(dice.chance(40) && { stockQuantity: newStock(product, dice) }) };
    return (isCounted ? counted : rest) as Variant;
  });
}
/** At times a value is dropped, or a new one added. */
function regrouped(shop: Shop, dice: Dice, { data: { optionGroups }, product }: Form): ReadProduct['optionGroups'] {
  const [group] = optionGroups;
  if (!group || isDated(product)) return optionGroups;
  const isFull = group.values.length > 5;
  const dropped = group.values.length > 1 && dice.chance(isFull ? 50 : 12) ? dice.pick(group.values) : null;
  const values = group.values.filter((value) => value !== dropped);
  return [{ ...group, values: !isFull && dice.chance(20) ? [...values, shop.newValue()] : values }];
}

/** PUT …/options without a tag: what others have added since is dropped, where it was not sold. */
async function plainOptions(shop: Shop, dice: Dice, product: Product): Promise<void> {
  if (isDated(product)) return;
  const form = await read(shop, product, true);
  if (!form) return;
  const optionGroups = regrouped(shop, dice, form);
  const values = optionGroups[0]?.values ?? [];
  const sent = filledIn(form.data.variants, product, dice).filter(({ optionValues }) =>
    optionValues.every((value) => values.includes(value)),
  );
  const mixed = dice.chance(50) ? sent.map(({ variantId: _id, ...variant }) => variant) : [];
  const answer = await shop.sell('products.replaceOptions plain', 'PUT', path(product, '/options'), { optionGroups, variants: mixed });
  learn(product, answer);
  note(shop, answer, { sent: mixed, read: null });
}

async function discount(shop: Shop, dice: Dice, product: Product): Promise<void> {
  const days = { startDate: day(-1), endDate: day(5) };
  const body = dice.pick([{ method: null }, { method: 'RATE', value: 7, ...days }, { method: 'AMOUNT', value: 300, ...days }]);
  await shop.sell('products.setDiscount', 'PUT', path(product, '/discount'), body);
}

async function nights(shop: Shop, dice: Dice): Promise<void> {
  const room = dice.pick(shop.products.filter((product) => isDated(product) && !product.isDeleted));
  const from = 1 + dice.roll(NIGHTS);
  const span = { from: day(from), to: day(Math.min(NIGHTS, from + dice.roll(4))) };
  const price = dice.pick([null, 60_000, 81_110]);
  const stock = dice.roll(7);
  await shop.writeNights(room.productId, dice.chance(50) ? room.variants : [dice.pick(room.variants)], {
    ...span,
    ...dice.pick([{ price }, { stock }, { price, stock }]),
  });
}

async function points(shop: Shop, dice: Dice): Promise<void> {
  await shop.adjust(dice.pick(shop.members).customerId!, dice.pick([-1500, 3000, 12_345, 20_000]));
}

/** Deletes a product, with what is on its way, and registers it anew. */
async function renew(shop: Shop, dice: Dice): Promise<void> {
  const product = dice.pick(shop.products.filter((one) => one.spec.kind === 'GOODS' && !one.isDeleted));
  const { status } = await shop.sell('products.remove', 'DELETE', path(product));
  if (status >= 300) return;
  product.isDeleted = true;
  await shop.register(product.spec);
}

async function processRefund(shop: Shop): Promise<void> {
  const refundId = shop.heldRefunds.shift();
  if (refundId !== undefined) await shop.sell('refunds.process', 'POST', `/v1/payments/refunds/${refundId}/process`);
}
