/** The consent page, and the page for a login that cannot go on. Names come from strangers: escaped, and set apart from our words. */
import { type Html, html } from '../web/html.ts';
import { type PageContext, page } from '../web/page.ts';
import { type Messages, messages } from './messages.ts';

export interface ConsentPage {
  readonly clientName: string;
  readonly storeName: string;
  readonly email: string;
  /** The host of the client's redirect address. */
  readonly returnsTo: string;
  /** Of the store, by their names. */
  readonly scopes: readonly string[];
  /** The client asks for access that outlasts the login. */
  readonly staysLoggedIn: boolean;
  /** Where the form goes. */
  readonly action: string;
}

/** Who asks for what, of which store, as whom and where it leads; one form, `allow` and `deny`. */
export function consentPage(
  context: PageContext,
  { clientName, storeName, email, returnsTo, scopes, staysLoggedIn, action }: ConsentPage,
): Html {
  const m = messages[context.locale];
  const body = html`<p>${m.intro}</p>
    <dl>
      <dt>${m.client}</dt>
      <dd>
        <b><bdi>${clientName}</bdi></b>
      </dd>
      <dt>${m.store}</dt>
      <dd>
        <b><bdi>${storeName}</bdi></b>
      </dd>
      <dt>${m.person}</dt>
      <dd><bdi>${email}</bdi></dd>
      <dt>${m.returnsTo}</dt>
      <dd><bdi>${returnsTo}</bdi></dd>
    </dl>
    <h2 id="scopes">${m.scopes}</h2>
    <ul class="rights" aria-labelledby="scopes">
      ${scopes.map((scope) => html`<li>${inWords(scope, m)} <code>${scope}</code></li>`)}
    </ul>
    <p>${m.limits} ${staysLoggedIn ? m.staysLoggedIn : ''}</p>
    <p role="note">${m.warning}</p>
    <form method="post" action="${action}">
      <button type="submit" name="decision" value="allow">${m.allow}</button>
      <button type="submit" name="decision" value="deny" class="quiet">${m.deny}</button>
    </form>`;
  return page(context, { title: m.title, body });
}

/** `order:rw` → "See and change orders". */
function inWords(scope: string, m: Messages): string {
  const [area = '', right] = scope.split(':');
  const named = (m.areas as Readonly<Record<string, string>>)[area] ?? area;
  if (right === 'delegate') return m.delegates;
  return right === 'r' ? m.reads(named) : m.writes(named);
}

/** For people whose login cannot go on; the words of the refusal are for those who build the app. */
export function stuckPage(context: PageContext, { code, message }: { readonly code: string; readonly message: string }): Html {
  const m = messages[context.locale];
  const body = html`<p role="alert">${m.stuckHelp}</p>
    <p lang="en"><small>${code}: ${message}</small></p>`;
  return page(context, { title: m.stuck, body });
}
