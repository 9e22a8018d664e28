/** Reasons and whose fault they are, images, and the seven days after the delivery (shapes of claims). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CLAIM_REASONS } from '../../../domain/claims/rules.ts';
import { query, underTest } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, MANUAL, MIND } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const RETURN = { type: 'RETURN', ...MIND };

describe('reasons', () => {
  let paid: Bought;
  let sent: Bought;
  beforeAll(async () => {
    const fees = { refundPolicy: { returnDeliveryFee: 2500, exchangeDeliveryFee: 5000, preShipmentDeliveryFeeRefund: false } };
    [paid, sent] = await Promise.all([shop.buy('PAID', { product: fees }), shop.buy('DISPATCHED', { product: fees })]);
  });
  const previewed = (type: string, reason: string) => shop.preview((type === 'CANCEL' ? paid : sent).orderItemId, { type, reason });

  test('belong to a type: others are VALIDATION_FAILED', async () => {
    const known: Readonly<Record<string, readonly string[]>> = {
      CANCEL: ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER'],
      RETURN: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
      EXCHANGE: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
    };
    const all = [...new Set(Object.values(known).flat()), 'BORED', '', null];
    for (const [type, reasons] of Object.entries(known))
      for (const reason of all) {
        const { status, body } = await previewed(type, reason as string);
        const fields = body.error?.fieldErrors?.map(({ field }) => field);
        expect([type, reason, status, fields]).toEqual([
          type,
          reason,
          ...(reasons.includes(reason!) ? [200, undefined] : [400, ['reason']]),
        ]);
      }
    expect(CLAIM_REASONS).toEqual(known);
  });
  test('of the seller’s fault are DEFECTIVE, WRONG_ITEM and DELIVERY_DELAY: they cost the buyer nothing', async () => {
    const costsOf = async (type: 'CANCEL' | 'RETURN' | 'EXCHANGE') => {
      const costs = [];
      for (const reason of CLAIM_REASONS[type]) {
        const { expectedRefundAmount, deliveryFeeChargeAmount, claimDeliveryFee } = dataOf(await previewed(type, reason));
        costs.push([reason, expectedRefundAmount, deliveryFeeChargeAmount, claimDeliveryFee]);
      }
      return costs;
    };
    expect(await costsOf('CANCEL')).toEqual([
      ['CHANGE_OF_MIND', 10_000, 0, 0],
      ['ORDER_MISTAKE', 10_000, 0, 0],
      ['DELIVERY_DELAY', 13_000, 0, 0],
      ['OTHER', 10_000, 0, 0],
    ]);
    expect(await costsOf('RETURN')).toEqual([
      ['CHANGE_OF_MIND', 7500, 2500, 0],
      ['DEFECTIVE', 13_000, 0, 0],
      ['WRONG_ITEM', 13_000, 0, 0],
      ['OPTION_CHANGE', 7500, 2500, 0],
      ['OTHER', 7500, 2500, 0],
    ]);
    expect(await costsOf('EXCHANGE')).toEqual([
      ['CHANGE_OF_MIND', 0, 0, 5000],
      ['DEFECTIVE', 0, 0, 0],
      ['WRONG_ITEM', 0, 0, 0],
      ['OPTION_CHANGE', 0, 0, 5000],
      ['OTHER', 0, 0, 5000],
    ]);
  });
  test('with sellerFaultFreeShipping off all are the buyer’s, and an exchange’s fee is on the claim', async () => {
    const refundPolicy = { returnDeliveryFee: 2500, exchangeDeliveryFee: 5000, sellerFaultFreeShipping: false };
    const { orderItemId } = await shop.buy('DISPATCHED', { product: { refundPolicy }, quantity: 2 });
    const back = await shop.preview(orderItemId, { type: 'RETURN', reason: 'DEFECTIVE' });
    expect(back.body.data).toMatchObject({ expectedRefundAmount: 17_500, deliveryFeeChargeAmount: 2500 });
    const { claimDeliveryFee } = dataOf(await shop.file(orderItemId, { type: 'EXCHANGE', reason: 'WRONG_ITEM', quantity: 1 }));
    expect(claimDeliveryFee).toBe(5000);
  });
});

describe('images', () => {
  const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  async function upload(): Promise<{ url: string; uploadId: string }> {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(PNG)], { type: 'image/png' }));
    const response = await fetch(`${underTest.api}/storefront/v1/uploads/order-inputs`, {
      method: 'POST',
      headers: shop.member.headers,
      body: form,
    });
    return ((await response.json()) as { data: { url: string; uploadId: string } }).data;
  }
  const isNamed = async (uploadId: string) =>
    (await query<{ is_named: boolean }>('SELECT is_named FROM upload WHERE upload_id = $1', [uploadId]))[0]!.is_named;

  test('of uploads are kept once a claim names them: not before, and not by a preview', async () => {
    const { orderItemId } = await shop.buy('DISPATCHED');
    const [named, other] = [await upload(), await upload()];
    const images = ['https://example.com/a.jpg', named.url];
    await shop.preview(orderItemId, { ...RETURN, images });
    expect(await isNamed(named.uploadId)).toBe(false);
    const claimId = await shop.filed(orderItemId, { ...RETURN, images });
    expect([await isNamed(named.uploadId), await isNamed(other.uploadId)]).toEqual([true, false]);
    expect((await shop.claim(claimId)).images).toEqual(images);
  });
  test('of another store’s uploads, and of none, are refused', async () => {
    const { orderItemId } = await shop.buy('DISPATCHED');
    const { url, uploadId } = await upload();
    for (const image of [url.replace(shop.storeId, 'sto_other'), url.replace(uploadId, 'upl_none'), 'http://127.0.0.1:1/uploads/x']) {
      const { status, body } = await shop.file(orderItemId, { ...RETURN, images: [url, image] });
      expect([status, body.error?.fieldErrors?.map(({ field, code }) => `${field} ${code}`)]).toEqual([400, ['images[1] INVALID_URL']]);
    }
    expect(await isNamed(uploadId)).toBe(false);
  });
  test('are at most five', async () => {
    const images = Array.from({ length: 6 }, (_, i) => `https://example.com/${i}.jpg`);
    const { orderItemId } = await shop.buy('DISPATCHED');
    const refused = await shop.preview(orderItemId, { ...RETURN, images });
    expect([codeOf(refused), refused.body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([[400, 'VALIDATION_FAILED'], ['images']]);
    expect((await shop.file(orderItemId, { ...RETURN, images: images.slice(1) })).status).toBe(201);
  });
  test.each(['http://example.com/a.jpg', 'javascript:alert(1)', 'data:image/png;base64,AA', '//example.com/a', 'ftp://example.com/a', ''])(
    '%p is refused by its position',
    async (url) => {
      const { status, body } = await shop.preview('oit_none', { ...RETURN, images: ['https://example.com/a.jpg', url] });
      expect([status, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['images[1]']]);
    },
  );
});

describe('the seven days after the delivery', () => {
  const both = async ({ orderItemId }: Bought) =>
    Promise.all(['RETURN', 'EXCHANGE'].map(async (type) => codeOf(await shop.preview(orderItemId, { type, ...MIND }))[1]));
  const actionsOf = async (bought: Bought) =>
    ((await shop.buyersItem(bought)).actions as { key: string; disabled: { reason: string } | null }[])
      .filter(({ key }) => key === 'return' || key === 'exchange')
      .map(({ disabled }) => disabled?.reason ?? null);

  test.each([0, 30])('end at their end, whatever is decided later (autoConfirmDays %i)', async (autoConfirmDays) => {
    await shop.world.seller.call('PATCH', '/v1/store', { autoConfirmDays });
    const shipped = await shop.buy('DELIVERED');
    const provided = await shop.buy('DELIVERED', { product: MANUAL });
    await shop.world.advance('P6DT23H50M');
    expect([await both(shipped), (await both(provided))[0], await actionsOf(shipped)]).toEqual([['OK', 'OK'], 'OK', [null, null]]);
    await shop.world.advance('PT10M');
    expect(await both(shipped)).toEqual(['PERIOD_EXPIRED', 'PERIOD_EXPIRED']);
    expect(await both(provided)).toEqual(['PERIOD_EXPIRED', 'EXCHANGE_NOT_SUPPORTED']);
    expect(await actionsOf(shipped)).toEqual(['PERIOD_EXPIRED', 'PERIOD_EXPIRED']);
    expect(codeOf(await shop.file(shipped.orderItemId, RETURN))).toEqual([409, 'PERIOD_EXPIRED']);
    expect(await shop.item(shipped.orderItemId)).toMatchObject({ status: 'DELIVERED' });
  });
  test('are not moved by the buyer’s extension of the decision', async () => {
    await shop.world.seller.call('PATCH', '/v1/store', { autoConfirmDays: 7 });
    const bought = await shop.buy('DELIVERED');
    await shop.member.call('POST', `/storefront/v1/me/order-items/${bought.orderItemId}/extend`, {});
    await shop.world.advance('P7D');
    expect([await both(bought), (await shop.item(bought.orderItemId)).status]).toEqual([['PERIOD_EXPIRED', 'PERIOD_EXPIRED'], 'DELIVERED']);
  });
  test('do not begin before the delivery', async () => {
    await shop.world.seller.call('PATCH', '/v1/store', { autoDeliverDays: 0 });
    const bought = await shop.buy('DISPATCHED');
    await shop.world.advance('P40D');
    expect(await both(bought)).toEqual(['OK', 'OK']);
  });
});
