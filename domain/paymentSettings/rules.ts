/** Rules of payment settings: keys, domains, return addresses and the live gate (Y5). */
import type { FieldError } from '../kernel/errors.ts';
import type { Environment } from '../payments/providers.ts';

const problem = (field: string, code: string, message: string): FieldError => ({ field, code, message });

const TOSS_KEY = /^(test|live)_(g?)(ck|sk)_(?:[A-Za-z0-9]{8,100})$/;
/** The problem of a key of the slot's environment; null: none. `half`: `ck`, the client key, or `sk`, the secret key. */
function tossKeyProblem(field: string, text: string, half: 'ck' | 'sk', environment: Environment): FieldError | null {
  const [, kind, widget, found] = TOSS_KEY.exec(text) ?? [];
  if (kind === undefined)
    return problem(field, 'INVALID_KEY', `is no key: test_${half}_… or live_${half}_…, then 8 to 100 letters and digits`);
  if (kind !== environment.toLowerCase())
    return problem(field, 'ENVIRONMENT_MISMATCH', `is a key of the other environment, not of ${environment}`);
  if (widget !== '') return problem(field, 'WIDGET_KEY', 'is a key of the widget, which the payment window refuses');
  if (found !== half) return problem(field, 'KEY_PAIR_MISMATCH', half === 'ck' ? 'is a secret key' : 'is a client key');
  return null;
}

export interface TossKeys {
  readonly environment?: Environment | undefined;
  readonly clientKey?: string | undefined;
  readonly secretKey?: string | undefined;
}
export const tossKeyProblems = ({ environment, clientKey, secretKey }: TossKeys): FieldError[] =>
  environment === undefined
    ? []
    : [
        clientKey === undefined ? null : tossKeyProblem('clientKey', clientKey, 'ck', environment),
        secretKey === undefined ? null : tossKeyProblem('secretKey', secretKey, 'sk', environment),
      ].filter((one) => one !== null);

export interface PortoneKeys {
  readonly storeId?: string | undefined;
  readonly channelKey?: string | undefined;
  readonly apiSecret?: string | undefined;
  readonly webhookSecret?: string | undefined;
}
const PORTONE: readonly (readonly [keyof PortoneKeys, (text: string) => boolean, string])[] = [
  ['storeId', (text) => /^store-[A-Za-z0-9-]{1,100}$/.test(text), 'is no store id: store-…'],
  ['channelKey', (text) => /^channel-key-[A-Za-z0-9-]{1,100}$/.test(text), 'is no channel key: channel-key-…'],
  ['apiSecret', (text) => /^[!-~]{16,200}$/.test(text), 'is no V2 API secret: 16 to 200 printable ASCII characters'],
  ['webhookSecret', isWebhookSecret, 'is no webhook secret: whsec_ and the base64 of 24 to 64 bytes'],
];
export const portoneKeyProblems = (keys: PortoneKeys): FieldError[] =>
  PORTONE.flatMap(([field, fits, message]) => {
    const text = keys[field];
    return text === undefined || fits(text) ? [] : [problem(field, 'INVALID_KEY', message)];
  });

function isWebhookSecret(text: string): boolean {
  const [, encoded = ''] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ?? [];
  const bytes = (encoded.replaceAll('=', '').length * 3) >> 2;
  return bytes >= 24 && bytes <= 64;
}

/** The last characters of a secret, for people to recognise it by. */
export const hintOf = (secret: string): string => secret.slice(-4);

/** Whether a host is the domain or lies below it. */
const isWithin = (hostname: string, domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);

/**
 * Whether buyers may be sent back to an address that is valid in itself (Y3). Local addresses: in TEST only, always. https: everywhere
 * while no domain is registered in TEST; within the domains otherwise. In LIVE there is a domain by the live gate, unless an operator made
 * the store so.
 */
export function isReturnAllowed(url: string, environment: Environment, domains: readonly string[]): boolean {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  if (environment === 'LIVE' && (protocol !== 'https:' || isLocal)) return false;
  if (protocol === 'http:') return isLocal;
  return domains.length === 0 || domains.some((domain) => isWithin(hostname.replace(/\.$/, ''), domain));
}

/** The conditions of live mode, in this order. */
export const LIVE_CONDITIONS = ['LIVE_PAYMENTS_ENABLED', 'LIVE_CREDENTIALS', 'CREDENTIALS_VERIFIED', 'TERMS', 'PAYMENT_DOMAIN'] as const;
export interface LiveCondition {
  readonly key: (typeof LIVE_CONDITIONS)[number];
  readonly met: boolean;
}
export interface LiveFacts {
  /** The operator allows it. */
  readonly livePayments: boolean;
  /** Of each enabled provider with a LIVE set: whether its newest one is verified. */
  readonly liveSets: readonly boolean[];
  readonly hasTerms: boolean;
  readonly domains: readonly string[];
}
export const liveConditions = ({ livePayments, liveSets, hasTerms, domains }: LiveFacts): readonly LiveCondition[] => [
  { key: 'LIVE_PAYMENTS_ENABLED', met: livePayments },
  { key: 'LIVE_CREDENTIALS', met: liveSets.length > 0 },
  { key: 'CREDENTIALS_VERIFIED', met: liveSets.some(Boolean) },
  { key: 'TERMS', met: hasTerms },
  { key: 'PAYMENT_DOMAIN', met: domains.length > 0 },
];
/** The refusal of live mode; null: it may be switched on (Y20). */
export function liveRefusal(conditions: readonly LiveCondition[]): 'LIVE_PAYMENTS_DISABLED' | 'LIVE_GATE_NOT_MET' | null {
  if (!conditions[0]!.met) return 'LIVE_PAYMENTS_DISABLED';
  return conditions.every(({ met }) => met) ? null : 'LIVE_GATE_NOT_MET';
}
