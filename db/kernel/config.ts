/** Configuration from environment variables, validated at the start of a process. */
import { BlockList } from 'node:net';
import { Environment, type Variables } from './environment.ts';
import { switchesOf } from './pointSwitches.ts';
import { parseNetworks } from './networks.ts';

export interface Config {
  readonly production: boolean;
  readonly port: number;
  /** The address that the API listens on; loopback by default. */
  readonly host: string;
  /** Where processes serve /metrics; loopback by default; a null port: not at all. */
  readonly metrics: { readonly host: string; readonly api: number | null; readonly worker: number | null };
  /** How long the API is unready before it stops accepting connections, so that load balancers notice. */
  readonly drainMs: number;
  /** How long a request may take to arrive, head and body, before its connection is closed. */
  readonly requestMs: number;
  /** The URL of the API for buyers and clients. */
  readonly publicUrl: string;
  /** Logs in as `sangjeom_app`. */
  readonly appDatabaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly sealingKeys: string;
  /** The external OpenID provider at which people log in. */
  readonly oidc: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  readonly mail: { readonly smtpUrl: string; readonly from: string; /** Where links in mails lead. */ readonly consoleUrl: string };
  /** The console's own client: public, of no store. */
  readonly console: { readonly clientId: string; readonly redirectUris: readonly string[] };
  /** The payment providers' addresses; their keys belong to the stores. */
  readonly payments: { readonly toss: PaymentProviderConfig; readonly portone: PaymentProviderConfig };
  /** The storage of uploads: a folder that all processes share, or an S3 bucket. */
  readonly storage: StorageConfig;
  /** `development` derives the scans from the tracking number; with `none` nothing is tracked. */
  readonly courier: 'development' | 'none';
  readonly allowLoopbackWebhooks: boolean;
  readonly webhookDns: string | null;
  readonly rateLimitPerMinute: number;
  /** The peers whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies: BlockList;
  /** How long a person may take for the form of a decision through `/mcp`. */
  readonly mcpFormMs: number;
  readonly checkReplies: boolean;
  readonly logLevel: string;
}
/** The worker's relay and reconciler log in as `sangjeom_relay`; the API never does (X19). */
export interface WorkerConfig extends Config {
  readonly relayDatabaseUrl: string;
}

export interface PaymentProviderConfig {
  readonly baseUrl: string;
  /** The browser SDK. */
  readonly sdkUrl: string;
  /** Development only: the simulator's window as a plain form, instead of the SDK. */
  readonly windowUrl: string | null;
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

/**
 * Reads the environment. In production there are no development defaults, URLs for people have to be https, and settings for tests are
 * refused (X21). Throws one error that names every invalid variable.
 */
export function readConfig(variables: Variables = process.env): Config {
  const env = new Environment(variables);
  const config = configOf(env);
  env.check();
  return config;
}

export function readWorkerConfig(variables: Variables = process.env): WorkerConfig {
  const env = new Environment(variables);
  const config = { ...configOf(env), relayDatabaseUrl: env.need('RELAY_DATABASE_URL', null) };
  env.check();
  return config;
}

function configOf(env: Environment): Config {
  const port = env.count('PORT', 3000);
  const publicUrl = env.address('PUBLIC_URL', `http://127.0.0.1:${port}`);
  switchesOf(env);
  env.onlyInDevelopment('ALLOW_LOOPBACK_WEBHOOKS', 'FAILPOINTS', 'FAILPOINTS_ARMED', 'MCP_FORM_SECONDS');
  const allowLoopbackWebhooks = env.get('ALLOW_LOOPBACK_WEBHOOKS') === 'true';
  return {
    production: env.isProduction,
    port,
    host: env.get('HOST') ?? '127.0.0.1',
    metrics: metricsOf(env),
    drainMs: env.count('DRAIN_SECONDS', env.isProduction ? 5 : 1) * 1000,
    requestMs: Math.max(1, env.count('REQUEST_SECONDS', 30)) * 1000,
    publicUrl,
    appDatabaseUrl: env.need('APP_DATABASE_URL', null),
    temporal: { address: env.need('TEMPORAL_ADDRESS', null), namespace: env.get('TEMPORAL_NAMESPACE') ?? 'default' },
    sealingKeys: env.need('SEALING_KEYS', null),
    payments: paymentsOf(env),
    ...people(env),
    storage: storageOf(env),
    mail: {
      smtpUrl: env.need('SMTP_URL', 'smtp://127.0.0.1:3004'),
      from: env.need('MAIL_FROM', 'Sangjeom <no-reply@sangjeom.example>'),
      consoleUrl: env.address('CONSOLE_URL', publicUrl),
    },
    courier: courierOf(env),
    allowLoopbackWebhooks,
    webhookDns: allowLoopbackWebhooks ? (env.get('WEBHOOK_DNS') ?? null) : null,
    rateLimitPerMinute: env.count('RATE_LIMIT_PER_MINUTE', 600),
    trustedProxies: env.try(() => parseNetworks('TRUSTED_PROXIES', env.get('TRUSTED_PROXIES') ?? ''), new BlockList()),
    mcpFormMs: env.count('MCP_FORM_SECONDS', 120) * 1000,
    checkReplies: env.get('CHECK_REPLIES') === 'true',
    logLevel: env.get('LOG_LEVEL') ?? 'info',
  };
}

/** Each process has its own METRICS_PORT; WORKER_METRICS_PORT is for running both on one machine. */
const metricsOf = (env: Environment): Config['metrics'] => ({
  host: env.get('METRICS_HOST') ?? '127.0.0.1',
  api: env.port('METRICS_PORT'),
  worker: env.port('WORKER_METRICS_PORT') ?? env.port('METRICS_PORT'),
});

/** In production the providers' own addresses, in development the simulator's. */
function paymentsOf(env: Environment): Config['payments'] {
  env.onlyInDevelopment('TOSS_WINDOW_URL', 'PORTONE_WINDOW_URL');
  const simulator = env.isProduction ? undefined : env.get('SIMULATOR_URL');
  const at = (path: string) => simulator && simulator + path;
  return {
    toss: {
      baseUrl: env.addressOr('TOSS_URL', at('') ?? 'https://api.tosspayments.com'),
      sdkUrl: env.addressOr('TOSS_SDK_URL', at('/sdk/toss.js') ?? 'https://js.tosspayments.com/v2/standard'),
      windowUrl: env.get('TOSS_WINDOW_URL') ?? at('/window/toss') ?? null,
    },
    portone: {
      baseUrl: env.addressOr('PORTONE_URL', at('') ?? 'https://api.portone.io'),
      sdkUrl: env.addressOr('PORTONE_SDK_URL', at('/sdk/portone.js') ?? 'https://cdn.portone.io/v2/browser-sdk.js'),
      windowUrl: env.get('PORTONE_WINDOW_URL') ?? at('/window/portone') ?? null,
    },
  };
}

function courierOf(env: Environment): Config['courier'] {
  const wanted = env.get('COURIER');
  if (env.isProduction && wanted === 'development') env.refuse('Unset COURIER: the development courier is refused in production.');
  return env.isProduction || wanted === 'none' ? 'none' : 'development';
}

function storageOf(env: Environment): StorageConfig {
  const bucket = env.get('S3_BUCKET');
  if (bucket === undefined) return { kind: 'files', folder: env.need('STORAGE_DIR', '.data/uploads') };
  return {
    kind: 's3',
    bucket,
    region: env.get('S3_REGION') ?? 'us-east-1',
    endpoint: env.get('S3_ENDPOINT') ?? null,
    accessKeyId: env.need('S3_ACCESS_KEY_ID', null),
    secretAccessKey: env.need('S3_SECRET_ACCESS_KEY', null),
  };
}

/** The OpenID provider and the console's client; in development those of `npm start`. */
const people = (env: Environment): Pick<Config, 'oidc' | 'console'> => ({
  oidc: {
    issuer: env.address('OIDC_ISSUER', env.get('IDP_URL') ?? 'http://127.0.0.1:3003'),
    clientId: env.need('OIDC_CLIENT_ID', 'sangjeom'),
    clientSecret: env.need('OIDC_CLIENT_SECRET', 'sangjeom-development'),
  },
  console: {
    clientId: env.need('CONSOLE_CLIENT_ID', 'console'),
    redirectUris: env.need('CONSOLE_REDIRECT_URIS', 'http://127.0.0.1/callback').split(' '),
  },
});
