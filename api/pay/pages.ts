/** The hosted payment screen's pages: they work without script, with a keyboard, and with a screen reader. */
import type { Started } from '../../db/payments/queries.ts';
import type { Failure } from '../../domain/payments/rules.ts';
import { korean } from '../../domain/kernel/time.ts';
import { Html, html } from '../kernel/html.ts';
import { type PageContext, page } from '../kernel/page.ts';
import { type Messages, messages } from './messages.ts';
import { COUNTDOWN, SIGNAL } from './assets.ts';

const hidden = (fields: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;

export interface PayPage extends Started {
  readonly storeName: string;
  /** Business time. */
  readonly at: number;
  /** Where the provider's window is, with what it must be told. */
  readonly window: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  readonly cancel: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
}

/** What is paid, to whom, how and until when; one button to pay and one to cancel. */
export function payPage(context: PageContext, { payment, storeName, at, window, cancel }: PayPage): Html {
  const m = messages[context.locale];
  const deadline = korean(payment.expiresAt.getTime());
  const body = html`${testNote(payment.testPayment, m)}
    <dl>
      <dt>${m.order}</dt>
      <dd>${payment.orderNo}</dd>
      <dt>${m.goods}</dt>
      <dd>
        <ul>
          ${payment.lines.map(
            (line) =>
              html`<li>
                ${line.productName}${line.optionLabel === null ? '' : html` <small>${line.optionLabel}</small>`} × ${line.quantity}
              </li>`,
          )}
        </ul>
      </dd>
      <dt>${m.method}</dt>
      <dd>${m.card}</dd>
      <dt>${m.amount}</dt>
      <dd><strong>${m.won(payment.totalWon)}</strong></dd>
      <dt>${m.deadline}</dt>
      <dd>
        <time datetime="${deadline}">${deadline.slice(11, 16)}</time>
        <span id="left" data-ms="${Math.max(0, payment.expiresAt.getTime() - at)}" role="timer" aria-label="${m.left}"></span>
      </dd>
    </dl>
    <form id="pay" method="get" action="${window.action}">
      ${hidden(window.fields)}
      <button type="submit">${m.pay}</button>
    </form>
    <form id="cancel" method="get" action="${cancel.action}">
      ${hidden(cancel.fields)}
      <button type="submit" class="quiet">${m.cancel}</button>
    </form>`;
  return page(context, { title: m.title(storeName), body, script: COUNTDOWN });
}

const testNote = (isTest: boolean, m: Messages): Html => (isTest ? html`<p role="note">${m.test}</p>` : html``);

/** Shown while the outcome is not known; looks again every two seconds and offers no way to pay. */
export function processingPage(context: PageContext): Html {
  const m = messages[context.locale];
  return page(context, { title: m.processing, body: html`<p role="status">${m.wait}</p>`, refreshSeconds: 2 });
}

/** After a decline or a cancel, while there is time: why, and one button that tries again. */
export function failedPage(
  context: PageContext,
  { failure, retryAction, returnTo }: { failure: Failure | null; retryAction: string; returnTo: string },
): Html {
  const m = messages[context.locale];
  const reason = failure ? (m.failure[failure.category] ?? failure.message) : '';
  const body = html`<p role="alert">${reason}</p>
    <form id="retry" method="post" action="${retryAction}"><button type="submit">${m.retry}</button></form>
    <p><a href="${returnTo}">${m.back}</a></p>`;
  return page(context, { title: m.failed, body });
}

/** The ten minutes are over and nothing was charged. */
export function expiredPage(context: PageContext, returnTo: string): Html {
  const m = messages[context.locale];
  return page(context, {
    title: m.expired,
    body: html`<p role="status">${m.expiredHelp}</p>
      <p><a href="${returnTo}">${m.back}</a></p>`,
  });
}

/** For anything that does not lead to a payment; says nothing about what exists. */
export function unknownPage(context: PageContext): Html {
  const m = messages[context.locale];
  return page(context, { title: m.unknown, body: html`<p>${m.unknownHelp}</p>` });
}

/** Over the limit of requests: nothing happened, and a moment later it may be tried again. */
export function busyPage(context: PageContext): Html {
  const m = messages[context.locale];
  return page(context, { title: m.busy, body: html`<p role="status">${m.busyHelp}</p>` });
}

/** A popup's last page: it tells the shop's window, at the shop's origin only, and closes (D44). */
export function popupPage(context: PageContext, message: object, targetOrigin: string, returnTo: string): Html {
  const m = messages[context.locale];
  const data = JSON.stringify({ message, targetOrigin }).replaceAll('<', '\\u003c');
  const body = html`<p><a href="${returnTo}">${m.back}</a></p>
    <script type="application/json" id="signal">
      ${new Html(data)}
    </script>`;
  return page(context, { title: m.done, body, script: SIGNAL });
}
