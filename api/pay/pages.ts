/** The hosted payment screen's pages: they work without script, with a keyboard, and with a screen reader. */
import type { Started } from '../../db/payments/queries.ts';
import type { Failure } from '../../domain/payments/rules.ts';
import type { Option } from '../../domain/paymentSettings/routing.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { Html, html } from '../web/html.ts';
import { type PageContext, page } from '../web/page.ts';
import { COUNTDOWN, OPEN_WINDOW, POLL, SIGNAL } from './assets.ts';
import { type Messages, messages } from './messages.ts';
import { optionOf } from './ways.ts';
import type { SdkCall } from './window.ts';

export interface PayContext extends PageContext {
  /** This page in the other language; null where it cannot be read again. */
  readonly otherLanguage: string | null;
}

const hidden = (fields: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
/** Data for the page's script. */
const json = (id: string, data: object): Html =>
  html`<script type="application/json" id="${id}">
    ${new Html(JSON.stringify(data).replaceAll('<', String.raw`\u003c`))}
  </script>`;

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}
/** What opens the provider's window: its SDK; without script a form, which the development system's windows understand (Y28). */
export interface Launch {
  readonly sdk: { readonly url: string; readonly call: SdkCall; readonly returnUrl: string; readonly failUrl: string };
  readonly form: Form | null;
}

/** A way to pay that the buyer may change to: an attempt of its own. */
export interface OtherWay {
  readonly option: Option;
  readonly action: string;
}
export interface PayPage extends Started {
  readonly storeName: string;
  /** Business time. */
  readonly at: number;
  readonly launch: Launch;
  /** This page's own address, for a browser without script. */
  readonly here: Form;
  readonly cancel: Form;
  readonly others: readonly OtherWay[];
  /** The window of the last attempt could not be opened. */
  readonly isSwitched: boolean;
}

/**
 * What is paid, to whom, how and until when. The first form leads on with the attempt's own option; other ways, language and cancel follow.
 */
export function payPage(context: PayContext, shown: PayPage): Html {
  const { payment, attempt, storeName, at, launch, cancel, others, isSwitched } = shown;
  const m = messages[context.locale];
  const deadline = koreanOf(payment.expiresAt);
  const [label = '', ...labels] = labelsOf([optionOf(attempt), ...others.map(({ option }) => option)], m);
  const body = html`${testNote(payment.testPayment, m)} ${isSwitched ? html`<p role="status">${m.switched}</p>` : ''}
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
      <dd>${label}</dd>
      <dt>${m.amount}</dt>
      <dd><strong>${m.won(payment.totalWon)}</strong></dd>
      <dt>${m.deadline}</dt>
      <dd>
        <time datetime="${deadline}">${deadline.slice(11, 16)}</time>
        <span id="left" data-ms="${Math.max(0, payment.expiresAt.getTime() - at)}" role="timer" aria-label="${m.left}"></span>
      </dd>
    </dl>
    ${payForm(shown, m)} ${otherWays(others, labels, m)}
    <form id="cancel" method="get" action="${cancel.action}">
      ${hidden(cancel.fields)}
      <button type="submit" class="quiet">${m.cancel}</button>
    </form>
    ${languageLink(context)} ${json('sdk', launch.sdk)}`;
  return page(context, { title: m.title(storeName), body, script: COUNTDOWN + OPEN_WINDOW });
}

function payForm({ launch, here }: PayPage, m: Messages): Html {
  const { action, fields } = launch.form ?? here;
  return html`<form id="pay" method="get" action="${action}">
    ${hidden(fields)}
    <button type="submit">${m.pay}</button>
    ${launch.form === null ? html`<noscript><p>${m.needsScript}</p></noscript>` : ''}
  </form>`;
}

/** A form for each other way. */
const otherWays = (others: readonly OtherWay[], labels: readonly string[], m: Messages): Html =>
  others.length === 0
    ? html``
    : html`<h2>${m.others}</h2>
        ${others.map(
          ({ action }, i) =>
            html`<form class="way" method="post" action="${action}">
              <button type="submit" class="quiet">${m.payBy(labels[i]!)}</button>
            </form>`,
        )}`;

/** The labels of options; one that stands there twice names its provider too. */
function labelsOf(options: readonly Option[], m: Messages): readonly string[] {
  const labels = options.map((option) => m.label(option));
  return labels.map((label, i) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${m.providers[options[i]!.pg]})`,
  );
}

const testNote = (isTest: boolean, m: Messages): Html => (isTest ? html`<p role="note">${m.test}</p>` : html``);

const OTHER = { ko: { locale: 'en', name: 'English' }, en: { locale: 'ko', name: '한국어' } } as const;
function languageLink({ locale, otherLanguage }: PayContext): Html {
  if (otherLanguage === null) return html``;
  const other = OTHER[locale];
  return html`<p class="language"><a href="${otherLanguage}" lang="${other.locale}" hreflang="${other.locale}">${other.name}</a></p>`;
}

/** Shown while the outcome is not known; looks again every two seconds and offers no way to pay. */
export function processingPage(context: PayContext): Html {
  const m = messages[context.locale];
  const body = html`<p id="processing" role="status">${m.wait}</p>
    ${languageLink(context)}`;
  return page(context, { title: m.processing, body, refreshSeconds: 2, script: POLL });
}

export interface FailedPage {
  readonly failure: Failure | null;
  readonly own: Option;
  /** Tries the same option again; null: it is not available. */
  readonly retryAction: string | null;
  readonly others: readonly OtherWay[];
  readonly returnTo: string;
}
/** After a decline or a cancel, while there is time: why, another try in the same way or in others, and the way back to the shop. */
export function failedPage(context: PayContext, { failure, own, retryAction, others, returnTo }: FailedPage): Html {
  const m = messages[context.locale];
  const reason = failure ? (m.failure[failure.category] ?? failure.message) : '';
  const [, ...labels] = labelsOf([own, ...others.map(({ option }) => option)], m);
  const body = html`<p role="alert">${reason}</p>
    ${retryAction === null ? '' : html`<form id="retry" method="post" action="${retryAction}"><button type="submit">${m.retry}</button></form>`}
    ${otherWays(others, labels, m)}
    <p><a href="${returnTo}">${m.back}</a></p>
    ${languageLink(context)}`;
  return page(context, { title: m.failed, body });
}

/** The ten minutes are over and nothing was charged. */
export function expiredPage(context: PayContext, returnTo: string): Html {
  const m = messages[context.locale];
  return page(context, {
    title: m.expired,
    body: html`<p role="status">${m.expiredHelp}</p>
      <p><a href="${returnTo}">${m.back}</a></p>
      ${languageLink(context)}`,
  });
}

/** The chosen way cannot be used at the moment; nothing changed. */
export function unavailablePage(context: PayContext, { paymentPage, returnTo }: { paymentPage: string; returnTo: string }): Html {
  const m = messages[context.locale];
  return page(context, {
    title: m.unavailable,
    body: html`<p role="alert">${m.unavailableHelp}</p>
      <p><a href="${paymentPage}">${m.backToPayment}</a></p>
      <p><a href="${returnTo}">${m.back}</a></p>`,
  });
}

/** For anything that does not lead to a payment; says nothing about what exists. */
export function unknownPage(context: PayContext): Html {
  const m = messages[context.locale];
  const body = html`<p>${m.unknownHelp}</p>
    ${languageLink(context)}`;
  return page(context, { title: m.unknown, body });
}

/** Over the limit of requests: nothing happened, and a moment later it may be tried again. */
export function busyPage(context: PageContext): Html {
  const m = messages[context.locale];
  return page(context, { title: m.busy, body: html`<p role="status">${m.busyHelp}</p>` });
}

/** A popup's last page: it tells the shop's window, at the shop's origin only, and closes. */
export function popupPage(context: PageContext, message: object, targetOrigin: string, returnTo: string): Html {
  const m = messages[context.locale];
  const body = html`<p><a href="${returnTo}">${m.back}</a></p>
    ${json('signal', { message, targetOrigin })}`;
  return page(context, { title: m.done, body, script: SIGNAL });
}
