/** Payment settings as their owner reads them: secrets as hints only (docs/contract.md#payment-settings). */
import { conditionsOf, type CredentialRow, type ProviderSettings, type Settings as Row } from '../../db/paymentSettings/queries.ts';
import { korean, koreanOf } from '../../domain/kernel/time.ts';
import { ENVIRONMENTS, PROVIDERS } from '../../domain/payments/providers.ts';
import { PAYMENT_METHODS } from '../../domain/payments/rules.ts';
import {
  candidatesOf,
  CREDENTIAL_STATUSES,
  labelOf,
  methodExclusion,
  ROUTING_EXCLUSIONS,
  routingExclusion,
  ROUTINGS,
  WALLETS,
} from '../../domain/paymentSettings/routing.ts';
import { LIVE_CONDITIONS } from '../../domain/paymentSettings/rules.ts';
import { closed, Count, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const Environment = oneOf(ENVIRONMENTS, 'TEST: no money moves');
const ExpectedVersion = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'The version that was read; a change of another one is refused' }),
);
const Version = Type.Integer({ minimum: 1, description: 'Grows with every change' });
const Wallet = oneOf(WALLETS, 'The wallet of EASY_PAY');
const Hint = Type.String({ description: 'The last 4 characters' });

const credential = {
  environment: Environment,
  status: oneOf(CREDENTIAL_STATUSES),
  isServing: Type.Boolean({ description: 'New payments use this set; false while an older verified one serves' }),
  verifiedAt: nullable(Timestamp),
  updatedAt: Timestamp,
  updatedByName: nullable(Type.String()),
};
const TossCredential = closed({ ...credential, clientKey: Type.String(), secretKeyHint: Hint }, { title: 'TossPaymentsCredential' });
const PortoneCredential = closed(
  { ...credential, storeId: Type.String(), channelKey: Type.String(), apiSecretHint: Hint, webhookSecretHint: nullable(Hint) },
  { title: 'PortOneCredential' },
);
const Credential = nullable(Type.Union([TossCredential, PortoneCredential]));

export const Provider = closed(
  {
    provider: oneOf(PROVIDERS),
    enabled: Type.Boolean(),
    priority: Type.Integer({ minimum: 1 }),
    methods: Type.Array(
      closed({
        method: oneOf(PAYMENT_METHODS),
        provider: nullable(Wallet),
        label: Type.String(),
        routingExclusion: nullable(oneOf(['DEPOSIT_NOT_SUPPORTED'])),
      }),
    ),
    routingExclusion: nullable(oneOf(ROUTING_EXCLUSIONS, 'Why it takes no payments now')),
    notificationUrl: Type.String({ description: 'For the provider’s notifications; nobody can guess it' }),
    credentials: closed({ TEST: Credential, LIVE: Credential }),
    version: Version,
    updatedAt: Timestamp,
  },
  { title: 'PaymentProvider' },
);

export const Settings = closed(
  {
    sandboxMode: Type.Boolean({ description: 'Payments are tests: no money moves' }),
    environment: Environment,
    routing: oneOf(ROUTINGS),
    priority: Type.Array(oneOf(PROVIDERS)),
    paymentDomains: Type.Array(Type.String()),
    providers: Type.Array(Provider),
    candidates: Type.Array(
      closed({
        pg: oneOf(PROVIDERS),
        method: oneOf(PAYMENT_METHODS),
        provider: nullable(Wallet),
        label: Type.String(),
        position: Type.Integer({ minimum: 1 }),
      }),
    ),
    liveConditions: Type.Array(closed({ key: oneOf(LIVE_CONDITIONS), met: Type.Boolean() })),
    version: Version,
    updatedAt: Timestamp,
  },
  { title: 'PaymentSettings' },
);

const METHOD = {
  oneOf: [
    { properties: { method: { const: 'EASY_PAY' }, provider: { enum: WALLETS } }, required: ['provider'] },
    { properties: { method: { enum: PAYMENT_METHODS.filter((method) => method !== 'EASY_PAY') }, provider: { type: 'null' } } },
  ],
};
const Methods = Type.Array(
  closed({ method: oneOf(PAYMENT_METHODS), provider: Type.Optional(nullable(Wallet)) }, { 'x-document': METHOD }),
  {
    minItems: 1,
    maxItems: 20,
    description: 'What is switched on, in the order of display',
  },
);
/** Letters of any script and digits between hyphens and dots; that a name is no public suffix, code checks. */
const LABEL = String.raw`[a-zA-Z0-9\u00e0-\uffef](?:[a-zA-Z0-9\u00e0-\uffef-]*[a-zA-Z0-9\u00e0-\uffef])?`;
const HOST_NAME = `^(?:${LABEL}[.])+${LABEL}$`;

export const SettingsPatch = closed(
  {
    sandboxMode: Type.Optional(Type.Boolean()),
    routing: Type.Optional(oneOf(ROUTINGS)),
    priority: Type.Optional(
      Type.Array(oneOf(PROVIDERS), {
        minItems: PROVIDERS.length,
        maxItems: PROVIDERS.length,
        uniqueItems: true,
        description: 'Every provider, best first',
      }),
    ),
    paymentDomains: Type.Optional(
      Type.Array(Type.String({ maxLength: 253, 'x-document': { minLength: 1, pattern: HOST_NAME } }), {
        maxItems: 10,
        description: 'Host names that buyers may come back to',
      }),
    ),
    expectedVersion: ExpectedVersion,
  },
  { title: 'PaymentSettingsPatch' },
);
const Key = (pattern?: string) =>
  Type.String({ minLength: 1, maxLength: 250, ...(pattern !== undefined && { 'x-document': { pattern } }) });
/** Both keys are of the environment that is sent. */
const TOSS_PAIR = {
  oneOf: ENVIRONMENTS.map((environment) => {
    const key = (half: string) => ({ pattern: `^${environment.toLowerCase()}_${half}_[A-Za-z0-9]{8,100}$` });
    return { properties: { environment: { const: environment }, clientKey: key('ck'), secretKey: key('sk') } };
  }),
};
export const TossKeys = closed(
  { environment: Environment, clientKey: Key(), secretKey: Key(), expectedVersion: ExpectedVersion },
  { title: 'TossPaymentsCredentials', 'x-document': TOSS_PAIR },
);
export const PortoneKeys = closed(
  {
    environment: Environment,
    storeId: Key('^store-[A-Za-z0-9-]{1,100}$'),
    channelKey: Key('^channel-key-[A-Za-z0-9-]{1,100}$'),
    apiSecret: Key('^[!-~]{16,200}$'),
    webhookSecret: Type.Optional(Key('^whsec_(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$')),
    expectedVersion: ExpectedVersion,
  },
  { title: 'PortOneCredentials' },
);
export const ProviderPatch = closed(
  { enabled: Type.Optional(Type.Boolean()), methods: Type.Optional(Methods), expectedVersion: ExpectedVersion },
  { title: 'PaymentProviderPatch' },
);
export const Verification = closed(
  { provider: oneOf(PROVIDERS), environment: Environment, status: oneOf(['VERIFIED']), verifiedAt: Timestamp },
  { title: 'PaymentProviderVerification' },
);
export const VersionQuery = closed({ expectedVersion: Type.Optional(Count) });

const timeOrNull = (text: string | null): string | null => (text === null ? null : koreanOf(text));

function viewCredential(row: CredentialRow | null) {
  if (!row) return null;
  const { environment, status, public_halves: halves, hints } = row;
  const shown = {
    environment,
    status,
    isServing: row.is_serving,
    verifiedAt: timeOrNull(row.verified_at),
    updatedAt: koreanOf(row.updated_at),
    updatedByName: row.updated_by_name,
  };
  return 'clientKey' in halves
    ? { ...shown, clientKey: halves.clientKey, secretKeyHint: hints.secret }
    : {
        ...shown,
        storeId: halves.storeId,
        channelKey: halves.channelKey,
        apiSecretHint: hints.secret,
        webhookSecretHint: hints.webhookSecret,
      };
}

export const viewProvider = (row: Row, provider: ProviderSettings, publicUrl: string) => ({
  provider: provider.provider,
  enabled: provider.enabled,
  priority: row.priority.indexOf(provider.provider) + 1,
  methods: provider.methods.map(({ method, provider: wallet }) => ({
    method,
    provider: wallet,
    label: labelOf({ method, provider: wallet }),
    routingExclusion: methodExclusion({ method, provider: wallet }),
  })),
  routingExclusion: routingExclusion(provider, row.realNow),
  notificationUrl: `${publicUrl}/payment-notifications/${provider.notificationToken}`,
  credentials: { TEST: viewCredential(provider.credentials.TEST), LIVE: viewCredential(provider.credentials.LIVE) },
  version: provider.version,
  updatedAt: korean(provider.updatedAt),
});

export const viewSettings = (row: Row, publicUrl: string) => ({
  sandboxMode: row.sandboxMode,
  environment: row.environment,
  routing: row.routing,
  priority: [...row.priority],
  paymentDomains: [...row.paymentDomains],
  providers: row.providers.map((provider) => viewProvider(row, provider, publicUrl)),
  candidates: candidatesOf(row).map((one) => ({ ...one })),
  liveConditions: conditionsOf(row).map((one) => ({ ...one })),
  version: row.version,
  updatedAt: korean(row.updatedAt),
});
