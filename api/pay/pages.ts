/** The hosted payment screen's pages: plain HTML, no script needed. */
import type { Started } from '../../db/payments/store.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { Html, html } from '../kernel/html.ts';

const page = (title: string, body: Html, refreshSeconds?: number): Html =>
  html`<!doctype html>
    <html lang="ko">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refreshSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${refreshSeconds}" />`}
        <title>${title}</title>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;

const won = (amount: number) => `${new Intl.NumberFormat('ko-KR').format(amount)}원`;

export interface PayPage extends Started {
  readonly storeName: string;
  /** Where the provider's window is, with what it must be told. */
  readonly window: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  readonly cancelAction: string;
  readonly isPopup: boolean;
}

/** What is paid, to whom, until when; one button to pay and one to cancel. */
export const payPage = ({ payment, storeName, window, cancelAction, isPopup }: PayPage): Html =>
  page(
    `${storeName} 결제`,
    html`${payment.testPayment ? html`<p role="note">테스트 결제입니다. 실제로 청구되지 않습니다.</p>` : ''}
      <dl>
        <dt>주문 번호</dt>
        <dd>${payment.orderNo}</dd>
        <dt>주문 상품</dt>
        <dd>${payment.lines.map((line) => html`<div>${line.productName} × ${line.quantity}</div>`)}</dd>
        <dt>결제 금액</dt>
        <dd>${won(payment.totalWon)}</dd>
        <dt>결제 기한</dt>
        <dd><time datetime="${korean(payment.expiresAt.getTime())}">${korean(payment.expiresAt.getTime()).slice(11, 16)}</time></dd>
      </dl>
      <form id="pay" method="get" action="${window.action}">
        ${Object.entries(window.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button type="submit">결제하기</button>
      </form>
      <form id="cancel" method="get" action="${cancelAction}">
        <input type="hidden" name="attemptId" value="${payment.currentAttemptId}" />
        ${isPopup ? html`<input type="hidden" name="mode" value="popup" />` : ''}
        <input type="hidden" name="code" value="USER_CANCEL" />
        <button type="submit">취소</button>
      </form>`,
  );

/** Shown while the outcome is not known; looks again every two seconds and offers no way to pay. */
export const processingPage = (): Html =>
  page('결제를 확인하고 있습니다', html`<p role="status">잠시만 기다려 주세요. 이 화면을 닫지 마세요.</p>`, 2);

/** For anything that does not lead to a payment; says nothing about what exists. */
export const unknownPage = (): Html => page('결제 화면을 열 수 없습니다', html`<p>상점으로 돌아가 다시 시도해 주세요.</p>`);

/** A popup's last page: it tells the shop's window, at the shop's origin only, and closes. */
export const popupPage = (message: object, targetOrigin: string, returnTo: string, nonce: string): Html => {
  const data = JSON.stringify({ message, targetOrigin }).replaceAll('<', '\\u003c');
  return page(
    '결제 창',
    html`<p><a href="${returnTo}">상점으로 돌아가기</a></p>
      <script type="application/json" id="signal">
        ${new Html(data)}
      </script>
      <script nonce="${nonce}">
        const s = JSON.parse(document.getElementById('signal').textContent);
        window.opener?.postMessage(s.message, s.targetOrigin);
        window.close();
      </script>`,
  );
};
