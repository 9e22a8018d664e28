/**
 * The HTML pages for people: one layout, one style, one Content-Security-Policy. They work without JavaScript, with a keyboard and with a
 * screen reader, load nothing, and cannot be framed.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { Html, html } from './html.ts';

const LOCALES = ['ko', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

/** The language of a page, and the CSP nonce of its style and script. */
export interface PageContext {
  readonly locale: Locale;
  readonly nonce: string;
}
export interface HtmlPage {
  readonly title: string;
  /** The h1 where it differs from the title. */
  readonly heading?: Html;
  readonly body: Html;
  /** Where no script runs. */
  readonly refreshSeconds?: number;
  readonly script?: string;
}

/** The first supported language: the wanted one, then those of Accept-Language; Korean by default. */
function chooseLocale(wanted: string, accepted: readonly string[]): Locale {
  const preferred = [wanted, ...accepted].map((tag) => tag.slice(0, 2).toLowerCase());
  return preferred.flatMap((tag) => LOCALES.filter((locale) => locale === tag))[0] ?? 'ko';
}

/** The language and the nonce of this request. */
export function pageContextOf(ctx: Context, wanted = ''): PageContext {
  const nonce = (ctx.state['nonce'] ??= randomBytes(16).toString('base64')) as string;
  return { nonce, locale: chooseLocale(wanted, ctx.acceptsLanguages()) };
}

export const page = ({ locale, nonce }: PageContext, { title, heading, body, refreshSeconds, script }: HtmlPage): Html =>
  html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refreshSeconds === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`}
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <style nonce="${nonce}">
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <h1>${heading ?? title}</h1>
          ${body}
        </main>
        ${
          script === undefined
            ? ''
            : html`<script nonce="${nonce}">
                ${new Html(script)};
              </script>`
        }
      </body>
    </html>`;

/** What a page may load and reach beside its own style, script and forms to us. */
export interface PageSources {
  /** Where its forms may lead. */
  readonly forms?: readonly string[];
  /** Origins of its scripts, where they may connect to, and what they may show in a frame. */
  readonly scripts?: readonly string[];
  readonly connections?: readonly string[];
  readonly frames?: readonly string[];
  readonly images?: readonly string[];
}
const directive = (name: string, sources: readonly string[]): string => (sources.length === 0 ? '' : `${name} ${sources.join(' ')}; `);

/** Sends a page with a CSP that allows only its own style and script, and what `sources` names. */
export function sendPage(ctx: Context, { nonce }: PageContext, shown: Html, status: number, sources: PageSources): void {
  const { forms = [], scripts = [], connections = [], frames = [], images = [] } = sources;
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('Vary', 'Accept-Language');
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; ${directive('script-src', [`'nonce-${nonce}'`, ...scripts])}style-src 'nonce-${nonce}'; ` +
      `${directive('img-src', ['data:', ...images])}${directive('connect-src', connections)}${directive('frame-src', frames)}` +
      `${directive('form-action', ["'self'", ...forms])}base-uri 'none'; frame-ancestors 'none'`,
  );
  ctx.body = shown.text;
}

/** The inline style of all pages. */
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, "Noto Sans CJK KR", sans-serif; }
body { margin: 0; word-break: keep-all; min-height: 100vh; display: grid; place-items: start center; background: Canvas;
  color: CanvasText; }
main { box-sizing: border-box; width: 100%; max-width: 26rem; padding: 1.5rem; }
@media (min-width: 40rem) { main { margin-top: 4rem; border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas);
  border-radius: 0.75rem; padding: 2rem; } }
h1 { margin: 0 0 1rem; font-size: 1.4rem; overflow-wrap: anywhere; }
[role="note"] { padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: #fff3cd; color: #533f03; }
[role="alert"] { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1rem; margin: 1rem 0 1.5rem; }
dt { color: color-mix(in srgb, CanvasText 65%, Canvas); }
dd { margin: 0; text-align: end; overflow-wrap: anywhere; }
dd ul { margin: 0; padding: 0; list-style: none; }
strong { font-size: 1.25rem; }
button { box-sizing: border-box; width: 100%; min-height: 3rem; font: inherit; font-weight: 600; border: 0; border-radius: 0.5rem;
  background: #1b4fd8; color: #fff; cursor: pointer; }
button.quiet { margin-top: 0.75rem; background: transparent; color: inherit; border: 1px solid color-mix(in srgb, CanvasText 40%, Canvas); }
a { color: inherit; }
button:disabled { opacity: 0.6; cursor: default; }
.way { margin-top: 0.5rem; }
.way button.quiet { margin-top: 0; }
.language { margin: 1rem 0 0; text-align: center; }
.language a { display: inline-block; padding: 0.5rem 1rem; }
button:focus-visible, a:focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
.rights { margin: 0 0 1.5rem; padding: 0; list-style: none; }
.rights li { display: flex; align-items: baseline; justify-content: space-between; gap: 0 1rem; padding: 0.4rem 0;
  border-bottom: 1px solid color-mix(in srgb, CanvasText 12%, Canvas); }
code { white-space: nowrap; font-size: 0.875rem; color: color-mix(in srgb, CanvasText 65%, Canvas); }
`;
