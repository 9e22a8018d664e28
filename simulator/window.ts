/** The provider's payment window as a plain form: a test card number, one button to pay and one to cancel. */
import type { Payments } from './payments.ts';

const FIELDS = ['clientKey', 'method', 'amount', 'orderId', 'orderName', 'successUrl', 'failUrl'] as const;
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export function windowPage(query: URLSearchParams): string {
  const hidden = FIELDS.map((name) => `<input type="hidden" name="${name}" value="${escape(query.get(name) ?? '')}">`).join('\n');
  return `<!doctype html><html lang="ko"><head><meta charset="utf-8"><title>결제 창 (시뮬레이터)</title></head><body><main>
<h1>${escape(query.get('orderName') ?? '')}</h1><p>${escape(query.get('amount') ?? '')}원</p>
<form id="window" method="get" action="/window/toss/submit">
${hidden}
<p><label>카드 번호 <input name="card" value="4111111111110000" inputmode="numeric"></label></p>
<button type="submit" name="outcome" value="pay">결제</button>
<button type="submit" name="outcome" value="cancel">취소</button>
</form></main></body></html>`;
}

/** The redirect after the window: the success URL with the payment key, or the fail URL with a code. */
export function submit(query: URLSearchParams, payments: Payments): string | null {
  const [success, failure] = [query.get('successUrl') ?? '', query.get('failUrl') ?? ''];
  const orderId = query.get('orderId') ?? '';
  const amount = Number(query.get('amount'));
  if (!URL.canParse(success) || !URL.canParse(failure) || orderId === '' || !Number.isSafeInteger(amount)) return null;
  const card = (query.get('card') || '4111111111110000').replaceAll(/\D/g, '');
  const canceled = query.get('outcome') === 'cancel' || card.endsWith('0010');
  const target = new URL(canceled ? failure : success);
  const parameters = canceled
    ? { code: 'PAY_PROCESS_CANCELED', message: '사용자가 결제를 취소하였습니다.', orderId }
    : {
        paymentType: 'NORMAL',
        orderId,
        paymentKey: payments.authenticate({ orderId, orderName: query.get('orderName') ?? '', amount, card }).paymentKey,
        amount: String(amount),
      };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return target.href;
}
