/** Logins at the identity provider, with a browser that handles links, forms and cookies. */
import { createHash, randomBytes } from 'node:crypto';
import { peopleOf } from '../../bin/dev/people.ts';
import { query, underTest, until, type World, seedMembers } from './world.ts';

export const CONSOLE = 'console';
export const CALLBACK = 'http://127.0.0.1:4999/callback';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
  readonly path: string;
}

/** A consent page. */
export interface Question {
  readonly at: string;
  readonly page: string;
  readonly action: string;
  readonly headers: Headers;
}

export class Browser {
  #jar: Cookie[] = [];

  async open(url: string, form?: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { origin, pathname } = new URL(url);
    const mine = this.#jar.filter((cookie) => cookie.origin === origin && pathname.startsWith(cookie.path));
    const response = await fetch(url, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      headers: { ...more, ...(mine.length > 0 && { cookie: mine.map(({ name, value }) => `${name}=${value}`).join('; ') }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(name.length + 1);
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      this.#jar = this.#jar.filter((cookie) => !(cookie.name === name && cookie.path === path && cookie.origin === origin));
      if (value !== '') this.#jar.push({ name, value, origin, path });
    }
    return response;
  }

  /** Follows redirects, submits login forms and consents, until the redirect to `stop`. */
  async login(url: string, email: string, stop = CALLBACK): Promise<URL> {
    const end = await this.walk(url, email, stop);
    if (end instanceof URL) return end;
    const answer = await this.open(end.action, { decision: 'allow' });
    return new URL(answer.headers.get('location')!);
  }

  /** The same up to the consent page; without one, the redirect to `stop`. */
  async walk(url: string, email: string, stop = CALLBACK): Promise<URL | Question> {
    let at = url;
    let response = await this.open(at);
    for (let hops = 0; hops < 20; hops++) {
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at).href;
        if (at.startsWith(stop)) return new URL(at);
        response = await this.open(at);
        continue;
      }
      const page = await response.text();
      const [, action] = /action="([^"]+)"/.exec(page) ?? [];
      if (action === undefined) throw new Error(`stuck at ${at}: ${response.status} ${page.slice(0, 300)}`);
      if (page.includes('name="decision"')) return { at, page, action: new URL(action, at).href, headers: response.headers };
      const [, prompt = 'login'] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      at = new URL(action, at).href;
      response = await this.open(at, { prompt, login: email, password: 'any' });
    }
    throw new Error(`too many redirects from ${url}`);
  }
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly error?: string;
}
/** POST /oauth2/token; returns any response. */
export async function tokens(
  form: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
  api = underTest.api,
) {
  const response = await fetch(`${api}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Tokens & Record<string, unknown>, headers: response.headers };
}
export const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });

export function authorizeUrl(
  changes: Readonly<Record<string, string | null>> = {},
  api = underTest.api,
): { url: string; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const params: Record<string, string | null> = {
    client_id: CONSOLE,
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'a-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams(Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== null));
  return { url: `${api}/oauth2/authorize?${query.toString()}`, verifier };
}

/** Logs a person in; returns the response of the code exchange. */
export async function loginAs(email: string, scope: string | null = null, api = underTest.api) {
  const { url, verifier } = authorizeUrl({ scope }, api);
  const back = await new Browser().login(url, email);
  const code = back.searchParams.get('code')!;
  const redeem = () =>
    tokens({ grant_type: 'authorization_code', client_id: CONSOLE, code, redirect_uri: CALLBACK, code_verifier: verifier }, {}, api);
  return { back, code, verifier, redeem, user: (await redeem()).body };
}

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const exchange = (subject: string, storeId: string, more: Readonly<Record<string, string>> = {}, api = underTest.api) =>
  tokens(
    {
      grant_type: TOKEN_EXCHANGE,
      client_id: CONSOLE,
      subject_token: subject,
      subject_token_type: ACCESS_TOKEN,
      audience: storeId,
      ...more,
    },
    {},
    api,
  );

/** Adds a member for each role: `{role}@{storeCode}.example`. */
export const people = ({ store: { storeId, storeCode } }: World): Promise<void> => seedMembers(storeId, peopleOf(storeCode));

/** Adds a member, as an accepted invitation does. */
export async function employ({ store: { storeId } }: World, email: string, role: 'ADMIN' | 'STAFF'): Promise<void> {
  await query(
    `INSERT INTO user_account (user_id, email, created_at) VALUES ('usr_' || replace(gen_random_uuid()::text, '-', ''), $1, now())
     ON CONFLICT (email) DO NOTHING`,
    [email],
  );
  await query(`INSERT INTO member (store_id, user_id, role, created_at) SELECT $1, user_id, $3, now() FROM user_account WHERE email = $2`, [
    storeId,
    email,
    role,
  ]);
}

/** A person's store token from the console. */
export async function storeToken(email: string, storeId: string, api = underTest.api): Promise<string> {
  const { user } = await loginAs(email, null, api);
  return (await exchange(user.access_token, storeId, {}, api)).body.access_token;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
/** Mails that the development mail server received, oldest first. */
export const mailsTo = async (email: string): Promise<Mail[]> =>
  ((await (await fetch(`${underTest.simulator}/__sim/mail`)).json()) as Mail[]).filter(({ to }) => to === email);
export const mailTo = (email: string): Promise<Mail> => until(`mail to ${email}`, async () => (await mailsTo(email))[0]);
/** The token of the link in an invitation mail. */
export const linkIn = ({ text }: Mail): string => new URL(/https?:\S+/.exec(text)![0]).searchParams.get('token')!;

/** Registers a public client of a store, for logins. */
export async function registerApp(owner: string, changes: Readonly<Record<string, unknown>> = {}): Promise<{ client_id: string }> {
  const response = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${owner}` },
    body: JSON.stringify({
      client_name: 'app',
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
      scope: 'order:rw store:rw member:rw',
      token_endpoint_auth_method: 'none',
      redirect_uris: [APP],
      ...changes,
    }),
  });
  return (await response.json()) as { client_id: string };
}
/** Its redirect URI. */
export const APP = 'http://127.0.0.1:4998/app';

/** A person's user token through such a client, after their consent; `scope`: the requested one. */
export async function loginThrough(
  clientId: string,
  email: string,
  scope: string | null = null,
  more: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const { url, verifier } = authorizeUrl({ client_id: clientId, redirect_uri: APP, scope, ...more });
  const code = (await new Browser().login(url, email, APP)).searchParams.get('code')!;
  const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: APP, code_verifier: verifier };
  return (await tokens(form)).body;
}

/**
 * The same for a person who is not a member of the client's store, as before consent pages existed: they are a member only during the
 * login.
 */
export async function loginLured(clientId: string, theirs: World, email: string): Promise<Tokens> {
  await employ(theirs, email, 'STAFF');
  const lured = await loginThrough(clientId, email);
  await query('DELETE FROM member WHERE store_id = $1 AND user_id = (SELECT user_id FROM user_account WHERE email = $2)', [
    theirs.store.storeId,
    email,
  ]);
  return lured;
}
