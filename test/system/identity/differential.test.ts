/**
 * The same odd request to ours and to the certified `oidc-provider`: ours must not accept what it refuses, nor give more.
 * FUZZ_PAIRS=45000 for the full count; a failure is shrunk and prints its seed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashSecret } from '../../../db/kernel/keyring.ts';
import { CLIENT_SCOPES, SCOPES, TOKEN_EXCHANGE } from '../../../domain/identity/rules.ts';
import { ACCESS_TOKEN, basic, CALLBACK, CONSOLE } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';
import { type Oracle, startOracle } from './oracle.ts';

const PAIRS = Number(process.env['FUZZ_PAIRS'] ?? 200);
const KINDS = 4;
const GRANTED = 'product:r order:r offline_access';
const VERIFIER = 'dBjftJeZ4CVP-mBSRmkbK7ZpDqgvGGkL-oGbbYBO3Jk';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let shop: World;
let oracle: Oracle;
beforeAll(async () => {
  shop = await world();
  const { clientId, clientSecret } = shop.store;
  const consoleScopes = SCOPES.flatMap((scope) => (scope.endsWith(':rw') ? [scope, scope.slice(0, -1)] : [scope]));
  oracle = await startOracle({ clientId, clientSecret, scopes: [...CLIENT_SCOPES, 'product:r', 'order:r'] }, consoleScopes);
  await query(
    `INSERT INTO user_account (user_id, email, created_at) VALUES ('usr_fuzz', 'fuzz@example.com', now()) ON CONFLICT DO NOTHING`,
  );
});
afterAll(() => oracle.close());

type Params = readonly (readonly [name: string, value: string])[];
const encode = (params: Params) => new URLSearchParams(params.map(([name, value]): [string, string] => [name, value])).toString();

const local = CALLBACK.replace('127.0.0.1', 'localhost');
const ODD = [
  ['', ' ', 'x', '\u0000', '\u0001', 'ü', '"', '\\', '__proto__', 'null', '[]', '{}', 'none', 'true', 'A'.repeat(3000)],
  ['product:r product:r', ' product:r', 'product:r ', 'product:r  order:r', 'product:r\torder:r', 'product:rw', 'PRODUCT:R'],
  ['offline_access', 'openid', 'member:delegate', 'member:rw', 'product:r order:r offline_access webhook:rw'],
  ['S256', 's256', 'plain', 'code', 'Code', 'token', 'code token', 'id_token', 'query', 'fragment', 'form_post', 'console', 'CONSOLE'],
  [CALLBACK, `${CALLBACK}/`, `${CALLBACK}?x=1`, `${CALLBACK}#f`, CALLBACK.replace('http', 'HTTP'), CALLBACK.replace(':4999', ':1')],
  [CALLBACK.replace(':4999', ''), local, CALLBACK.replace('127.0.0.1', '127.0.0.1@evil.example'), 'javascript:alert(1)'],
  [CALLBACK.replace('/callback', '/callback/../x'), CALLBACK.replace('/callback', '%2fcallback')],
  [42, 43, 44, 128, 129].map((length) => 'a'.repeat(length)),
  ['client_credentials', 'refresh_token', 'authorization_code', 'password', 'implicit', TOKEN_EXCHANGE, ACCESS_TOKEN],
  [VERIFIER, `${VERIFIER}=`, CHALLENGE, `${CHALLENGE}=`],
].flat();
const junk = fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 12 }));
const OIDC_ONLY: ReadonlySet<string> = new Set(['prompt', 'nonce']);
const NAMES = ['scope', ...OIDC_ONLY, 'foo', 'response_mode', 'client_secret', 'client_id', 'request', 'request_uri', '__proto__'];
interface Change {
  readonly what: 'drop' | 'repeat' | 'replace' | 'add';
  readonly at: number;
  readonly name: string;
  readonly value: string;
}
const change: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom('drop', 'repeat', 'replace', 'replace', 'replace', 'add'),
  at: fc.nat(9),
  name: fc.constantFrom(...NAMES, 'state', 'resource', 'audience', 'code', 'refresh_token', 'grant_type'),
  value: junk,
});
const changes = fc.array(change, { maxLength: 3 });

function changed(params: Params, list: readonly Change[]): Params {
  let now = [...params];
  for (const { what, at, name, value } of list) {
    const i = now.length === 0 ? 0 : at % now.length;
    if (what === 'add' || !now[i]) now = [...now, [name, value]];
    else if (what === 'drop') now = now.toSpliced(i, 1);
    else if (what === 'repeat') now = [...now, [now[i][0], at % 2 === 0 ? now[i][1] : value]];
    else now = now.with(i, [now[i][0], value]);
  }
  return now;
}

/** `accepted` with what was given, or the refusal. */
interface Verdict {
  readonly accepted: boolean;
  readonly status: number;
  readonly error: string;
  readonly scopes: readonly string[];
  readonly sentTo: string | null;
}

async function authorize(base: string, params: Params): Promise<Verdict> {
  const response = await fetch(`${base}/oauth2/authorize?${encode(params)}`, { redirect: 'manual' });
  await response.arrayBuffer();
  const location = response.headers.get('location');
  const to = location === null ? null : new URL(location, base);
  const error = to?.searchParams.get('error') ?? (to ? new URLSearchParams(to.hash.slice(1)).get('error') : null);
  const accepted = to !== null && error === null;
  // Where the login takes place is each side's own; a refusal must lead to the registered address only.
  return { accepted, status: response.status, error: error ?? '', scopes: [], sentTo: accepted ? null : to && to.origin + to.pathname };
}
async function token(base: string, params: Params, headers: Readonly<Record<string, string>>): Promise<Verdict> {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: encode(params),
  });
  const body = (await response.json()) as { error?: string; scope?: string };
  const { status } = response;
  return { accepted: status === 200, status, error: body.error ?? '', scopes: (body.scope ?? '').split(' ').filter(Boolean), sentTo: null };
}

/** No scope is named: ours gives all that is registered (docs/contract.md#oauth), the oracle what it takes to be asked for. */
const isUnnamed = (params: Params) => !params.some(([name, value]) => name === 'scope' && value !== '');
/** Is in the answer of ours, and only in the refresh token of the oracle. */
const isAllowed = (scope: string, params: Params, theirs: Verdict) =>
  scope === 'offline_access' || theirs.scopes.includes(scope) || (isUnnamed(params) && CLIENT_SCOPES.includes(scope));

const seen = { pairs: 0, bothAccept: 0, weRefuse: 0, bothRefuse: 0 };
function compare(params: Params, headers: object, ours: Verdict, theirs: Verdict): void {
  const shown = JSON.stringify({ params, headers, ours, theirs });
  seen.pairs++;
  if (ours.status >= 500) throw new Error(`ours broke: ${shown}`);
  if (ours.accepted && theirs.accepted) {
    seen.bothAccept++;
    if (!ours.scopes.every((scope) => isAllowed(scope, params, theirs))) throw new Error(`ours gives more: ${shown}`);
  } else if (ours.accepted) throw new Error(`ours accepts: ${shown}`);
  else if (theirs.accepted) seen.weRefuse++;
  else seen.bothRefuse++;
  if (ours.sentTo !== null && !isOurCallback(ours.sentTo)) throw new Error(`ours redirects: ${shown}`);
}
const isOurCallback = (address: string) => /^http:\/\/127\.0\.0\.1(:\d+)?\/callback$/.test(address);

const AUTHORIZE: Params = [
  ['client_id', CONSOLE],
  ['redirect_uri', CALLBACK],
  ['response_type', 'code'],
  ['scope', 'product:r order:r'],
  ['state', 'st'],
  ['code_challenge', CHALLENGE],
  ['code_challenge_method', 'S256'],
];
/** HTTP Basic, right as often as not. */
function basics(id: string, secret: string): string[] {
  const right = basic(id, secret).authorization;
  const encoded = right.slice(6);
  const encode64 = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  return [
    Array.from({ length: 12 }, () => right),
    [`basic ${encoded}`, `BASIC ${encoded}`, `${right}=`, `${right}====`, right.slice(0, -2), right.replaceAll('=', '')],
    ['Basic', 'Basic ', `Basic  ${encoded}`, `Basic\t${encoded}`, `Basic,${encoded}`, `Bearer ${encoded}`, `${right},${right}`],
    ['', ':', id, `${id}:`, `:${secret}`, `${id}:${secret}:`, `${id} :${secret}`, `${id}:${secret} `].map(encode64),
    [`${id}\u0000:${secret}`, `${id}:%zz`, `${id.toUpperCase()}:${secret}`, `console:${secret}`].map(encode64),
    [`${id.replace('_', '%5F')}:${secret}`, `${id}:${secret.replace('_', '%5f')}`].map(encode64),
  ].flat();
}
const runs = { numRuns: Math.ceil(PAIRS / KINDS), endOnFailure: PAIRS > 1000 };
const TIME = 60_000 + PAIRS * 60;

describe('ours accepts nothing that the certified server refuses', () => {
  test(
    'authorize',
    async () => {
      await fc.assert(
        fc.asyncProperty(changes, async (list) => {
          const params = changed(AUTHORIZE, list);
          // What only OpenID Connect knows says nothing to ours.
          const heard = params.filter(([name]) => !OIDC_ONLY.has(name));
          compare(params, {}, await authorize(underTest.api, params), await authorize(oracle.url, heard));
        }),
        runs,
      );
    },
    TIME,
  );

  test(
    'client_credentials, with every way to write HTTP Basic',
    async () => {
      const { clientId, clientSecret } = shop.store;
      const written = fc.constantFrom(...basics(clientId, clientSecret));
      const base: Params = [
        ['grant_type', 'client_credentials'],
        ['scope', 'product:r'],
      ];
      await fc.assert(
        fc.asyncProperty(changes, written, async (list, authorization) => {
          const params = changed(base, list);
          const headers = { authorization };
          compare(params, headers, await token(underTest.api, params, headers), await token(oracle.url, params, headers));
        }),
        runs,
      );
    },
    TIME,
  );

  test(
    'refresh_token',
    async () => {
      await fc.assert(
        fc.asyncProperty(changes, async (list) => {
          const made = (value: string) =>
            changed(
              [
                ['grant_type', 'refresh_token'],
                ['client_id', CONSOLE],
                ['refresh_token', value],
                ['scope', 'product:r'],
              ],
              list,
            );
          const [mine, theirs] = [await ourRefreshToken(), await oracle.refreshToken(GRANTED)];
          compare(made(mine), {}, await token(underTest.api, made(mine), {}), await token(oracle.url, made(theirs), {}));
        }),
        runs,
      );
    },
    TIME,
  );

  test(
    'authorization_code',
    async () => {
      await fc.assert(
        fc.asyncProperty(changes, async (list) => {
          const made = (value: string) =>
            changed(
              [
                ['grant_type', 'authorization_code'],
                ['client_id', CONSOLE],
                ['code', value],
                ['redirect_uri', CALLBACK],
                ['code_verifier', VERIFIER],
              ],
              list,
            );
          const [mine, theirs] = [await ourCode(), await oracle.code(GRANTED, CHALLENGE)];
          compare(made(mine), {}, await token(underTest.api, made(mine), {}), await token(oracle.url, made(theirs), {}));
        }),
        runs,
      );
    },
    TIME,
  );

  test('the comparison has enough that both accept, and that both refuse', () => {
    process.stdout.write(`${JSON.stringify(seen)}\n`);
    expect(seen.pairs).toBeGreaterThanOrEqual(PAIRS);
    expect(seen.bothAccept).toBeGreaterThan(PAIRS / 20);
    expect(seen.bothRefuse).toBeGreaterThan(PAIRS / 4);
  });
});

async function ourLogin(): Promise<string> {
  const loginId = `lgn_${randomBytes(12).toString('hex')}`;
  await query(
    `INSERT INTO login (login_id, client_id, user_id, scopes, authenticated_at, created_at) VALUES ($1, $2, 'usr_fuzz', $3, now(), now())`,
    [loginId, CONSOLE, GRANTED.split(' ')],
  );
  return loginId;
}
async function ourRefreshToken(): Promise<string> {
  const value = `svcrt_${randomBytes(32).toString('base64url')}`;
  await query(`INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at) VALUES ($1, $2, now() + interval '1 day', now())`, [
    hashSecret(value),
    await ourLogin(),
  ]);
  return value;
}
async function ourCode(): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  await query(
    `INSERT INTO auth_code (code_hash, login_id, redirect_uri, code_challenge, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '1 minute')`,
    [hashSecret(value), await ourLogin(), CALLBACK, CHALLENGE],
  );
  return value;
}
