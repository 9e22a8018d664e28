/** Configuration from the environment, checked once at the start of a process. */
import { createHmac } from 'node:crypto';
import type { BlockList } from 'node:net';
import { parseNetworks } from './networks.ts';

export interface Config {
  readonly production: boolean;
  readonly port: number;
  /** The address that servers listen on: this machine only, unless it is told otherwise. */
  readonly host: string;
  /** Where a worker serves /metrics; null: nowhere. */
  readonly workerMetricsPort: number | null;
  /** The address under which buyers and clients reach the API. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly sealingKeys: string;
  /** The external OpenID provider at which people log in. */
  readonly oidc: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  readonly mail: { readonly smtpUrl: string; readonly from: string; /** Where links in mails lead. */ readonly consoleUrl: string };
  /** The console's own client: public, of no store. */
  readonly console: { readonly clientId: string; readonly redirectUris: readonly string[] };
  readonly toss: {
    readonly baseUrl: string;
    readonly windowUrl: string;
    readonly secretKey: string;
    readonly clientKey: string;
    /** The keys are for tests: no money moves. */
    readonly testPayment: boolean;
  };
  /** Where uploads are kept: a folder that all API processes share, or a bucket. */
  readonly storage: StorageConfig;
  /** `development` tells by a parcel's number where it is; without a courier nothing is tracked. */
  readonly courier: 'development' | 'none';
  readonly allowLoopbackWebhooks: boolean;
  readonly webhookDns: string | null;
  readonly rateLimitPerMinute: number;
  /** The peers whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies: BlockList;
  readonly checkReplies: boolean;
  readonly logLevel: string;
}

export type StorageConfig =
  | { readonly kind: 'files'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly region: string;
      readonly endpoint: string | null;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

/** The roles that processes log in as; neither owns a table. */
export type Role = 'sangjeom_app' | 'sangjeom_relay';

/** The owner's URL with a role's name and password. The password is derived from the owner's, so one URL suffices. */
export function roleUrl(databaseUrl: string, role: Role): string {
  const url = new URL(databaseUrl);
  url.password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('hex').slice(0, 40);
  url.username = role;
  return url.href;
}

/** Reads the environment. In production nothing secret has a default and loopback receivers are refused. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const production = env['NODE_ENV'] === 'production';
  const need = (name: string, fallback: string | null): string => {
    const value = env[name] ?? fallback;
    if (value === null || value === '') throw new Error(`Set ${name}: it has no default${production ? ' in production' : ''}.`);
    return value;
  };
  const port = count(env, 'PORT', 3000);
  const publicUrl = env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`;
  const allowLoopbackWebhooks = env['ALLOW_LOOPBACK_WEBHOOKS'] === 'true';
  if (production && allowLoopbackWebhooks) throw new Error('Unset ALLOW_LOOPBACK_WEBHOOKS: it is refused in production.');
  return {
    production,
    port,
    ...listening(env),
    publicUrl,
    databaseUrl: need('DATABASE_URL', null),
    temporal: { address: need('TEMPORAL_ADDRESS', null), namespace: env['TEMPORAL_NAMESPACE'] ?? 'default' },
    sealingKeys: need('SEALING_KEYS', null),
    toss: paymentProvider(need, production, env['SIMULATOR_URL'] ?? null),
    ...people(need, production ? null : (env['IDP_URL'] ?? 'http://127.0.0.1:3003')),
    storage: storageOf(env, need, production),
    mail: mailOf(need, production, env['CONSOLE_URL'] ?? publicUrl),
    courier: courierOf(env['COURIER'], production),
    allowLoopbackWebhooks,
    webhookDns: allowLoopbackWebhooks ? (env['WEBHOOK_DNS'] ?? null) : null,
    rateLimitPerMinute: count(env, 'RATE_LIMIT_PER_MINUTE', 600),
    trustedProxies: parseNetworks('TRUSTED_PROXIES', env['TRUSTED_PROXIES'] ?? ''),
    checkReplies: env['CHECK_REPLIES'] === 'true',
    logLevel: env['LOG_LEVEL'] ?? 'info',
  };
}

type Need = (name: string, fallback: string | null) => string;

function paymentProvider(need: Need, production: boolean, simulator: string | null): Config['toss'] {
  const toss = {
    baseUrl: need('TOSS_URL', simulator),
    windowUrl: need('TOSS_WINDOW_URL', simulator && `${simulator}/window/toss`),
    secretKey: need('TOSS_SECRET_KEY', production ? null : 'test_sk_sangjeom'),
    clientKey: need('TOSS_CLIENT_KEY', production ? null : 'test_ck_sangjeom'),
  };
  return { ...toss, testPayment: isForTests(toss) };
}

/** `test_` or `live_`, then `sk` and `ck`, or `gsk` and `gck`: keys of two kinds would take payments that cannot be approved. */
function isForTests({ secretKey, clientKey }: { readonly secretKey: string; readonly clientKey: string }): boolean {
  const [, kind, family] = /^(test|live)_(g?)sk_./.exec(secretKey) ?? [];
  if (kind === undefined) throw new Error('TOSS_SECRET_KEY must begin with test_sk_, live_sk_, test_gsk_ or live_gsk_.');
  if (!clientKey.startsWith(`${kind}_${family}ck_`))
    throw new Error(`TOSS_CLIENT_KEY must be of the kind of TOSS_SECRET_KEY: it must begin with ${kind}_${family}ck_.`);
  return kind === 'test';
}

function courierOf(wanted: string | undefined, production: boolean): Config['courier'] {
  if (production && wanted === 'development') throw new Error('Unset COURIER: the development courier is refused in production.');
  return production || wanted === 'none' ? 'none' : 'development';
}

const mailOf = (need: Need, production: boolean, consoleUrl: string): Config['mail'] => ({
  smtpUrl: need('SMTP_URL', production ? null : 'smtp://127.0.0.1:3004'),
  from: need('MAIL_FROM', production ? null : 'Sangjeom <no-reply@sangjeom.example>'),
  consoleUrl,
});

const storageOf = (env: Record<string, string | undefined>, need: Need, production: boolean): StorageConfig =>
  env['S3_BUCKET'] === undefined
    ? { kind: 'files', folder: need('STORAGE_DIR', production ? null : '.data/uploads') }
    : {
        kind: 's3',
        bucket: env['S3_BUCKET'],
        region: env['S3_REGION'] ?? 'us-east-1',
        endpoint: env['S3_ENDPOINT'] ?? null,
        accessKeyId: need('S3_ACCESS_KEY_ID', null),
        secretAccessKey: need('S3_SECRET_ACCESS_KEY', null),
      };

/** Where people log in; `development` is the provider that `npm start` brings, null in production. */
const people = (need: Need, development: string | null): Pick<Config, 'oidc' | 'console'> => {
  const known = (value: string) => (development === null ? null : value);
  return {
    oidc: {
      issuer: need('OIDC_ISSUER', development),
      clientId: need('OIDC_CLIENT_ID', known('sangjeom')),
      clientSecret: need('OIDC_CLIENT_SECRET', known('sangjeom-development')),
    },
    console: {
      clientId: need('CONSOLE_CLIENT_ID', known('console')),
      redirectUris: need('CONSOLE_REDIRECT_URIS', known('http://127.0.0.1/callback')).split(' '),
    },
  };
};

const listening = (env: Record<string, string | undefined>): Pick<Config, 'host' | 'workerMetricsPort'> => ({
  host: env['HOST'] ?? '127.0.0.1',
  workerMetricsPort: env['WORKER_METRICS_PORT'] === undefined ? null : count(env, 'WORKER_METRICS_PORT', 0),
});

function count(env: Record<string, string | undefined>, name: string, fallback: number): number {
  const value = Number(env[name] ?? fallback);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} must be a whole number.`);
  return value;
}
