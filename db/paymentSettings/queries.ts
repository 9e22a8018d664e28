/** Payment settings with their providers, credential sets and circuits, in one round trip. */
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { type LiveCondition, liveConditions } from '../../domain/paymentSettings/rules.ts';
import type { CredentialStatus, Method, ProviderFacts, Routing, RoutingFacts } from '../../domain/paymentSettings/routing.ts';
import type { Environment, ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../kernel/tx.ts';
import type { PublicHalves, SecretHints } from './entities.ts';

/** A credential set without its secrets. */
export interface CredentialRow {
  readonly credential_id: string;
  readonly provider: ProviderName;
  readonly environment: Environment;
  readonly status: CredentialStatus;
  readonly public_halves: PublicHalves;
  readonly hints: SecretHints;
  readonly is_newest: boolean;
  readonly is_serving: boolean;
  readonly updated_by_name: string | null;
  readonly updated_at: string;
  readonly verified_at: string | null;
  readonly rejected_at: string | null;
}
interface ProviderRow {
  readonly provider: ProviderName;
  readonly enabled: boolean;
  readonly methods: readonly Method[];
  readonly notification_token: string;
  readonly version: number;
  readonly updated_at: string;
}
interface CircuitRow {
  readonly provider: ProviderName;
  readonly environment: Environment;
  readonly open_until: string | null;
}
/** Dates within `providers`, `credentials` and `circuits` are texts of Postgres' JSON. */
interface SettingsRow {
  readonly sandbox_mode: boolean;
  readonly live_payments: boolean;
  readonly routing: Routing;
  readonly priority: ProviderName[];
  readonly payment_domains: string[];
  readonly version: number;
  readonly updated_at: Date | string;
  readonly has_terms: boolean;
  readonly providers: readonly ProviderRow[];
  readonly credentials: readonly CredentialRow[];
  readonly circuits: readonly CircuitRow[];
}

export interface ProviderSettings extends ProviderFacts {
  readonly notificationToken: string;
  readonly version: number;
  readonly updatedAt: number;
  /** The newest set of each slot. */
  readonly credentials: Readonly<Record<Environment, CredentialRow | null>>;
}
/** The settings as they are read; `providers` in priority order, with their facts in the current environment. */
export interface Settings extends RoutingFacts {
  readonly sandboxMode: boolean;
  readonly livePayments: boolean;
  readonly priority: readonly ProviderName[];
  readonly paymentDomains: readonly string[];
  readonly version: number;
  readonly updatedAt: number;
  readonly hasTerms: boolean;
  readonly providers: readonly ProviderSettings[];
}

/** `environment`: the one that a running payment keeps; the store's by default. */
export async function readSettings({ sql, storeId, realNow }: Tx, given?: Environment): Promise<Settings> {
  const [row] = await sql<SettingsRow>`
    SELECT s.sandbox_mode, s.live_payments, s.routing, s.priority, s.payment_domains, s.version, s.updated_at,
      (SELECT terms_url IS NOT NULL AND terms_version IS NOT NULL AND privacy_url IS NOT NULL AND privacy_version IS NOT NULL
       FROM store WHERE store_id = s.store_id) AS has_terms,
      (SELECT jsonb_agg(jsonb_build_object('provider', provider, 'enabled', enabled, 'methods', methods,
         'notification_token', notification_token, 'version', version, 'updated_at', updated_at))
       FROM payment_provider WHERE store_id = s.store_id) AS providers,
      (SELECT coalesce(jsonb_agg(to_jsonb(c) - 'secret_sealed' - 'webhook_secret_sealed'), '[]')
       FROM payment_credential c WHERE store_id = s.store_id AND (is_newest OR is_serving)) AS credentials,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', provider, 'environment', environment, 'open_until', open_until)), '[]')
       FROM payment_circuit WHERE store_id = s.store_id AND open_until IS NOT NULL) AS circuits
    FROM payment_settings s WHERE s.store_id = ${storeId}`;
  if (!row) throw new Fault('STORE_NOT_FOUND');
  const environment = given ?? (row.sandbox_mode ? 'TEST' : 'LIVE');
  return {
    sandboxMode: row.sandbox_mode,
    livePayments: row.live_payments,
    routing: row.routing,
    priority: row.priority,
    paymentDomains: row.payment_domains,
    version: row.version,
    updatedAt: msOf(row.updated_at),
    hasTerms: row.has_terms,
    environment,
    realNow,
    providers: row.priority.map((name) => providerOf(row, name, environment)),
  };
}

function providerOf(row: SettingsRow, name: ProviderName, environment: Environment): ProviderSettings {
  const { provider, enabled, methods, notification_token, version, updated_at } = row.providers.find((one) => one.provider === name)!;
  const sets = row.credentials.filter((one) => one.provider === name);
  const newestOf = (slot: Environment) => sets.find((one) => one.environment === slot && one.is_newest) ?? null;
  const serving = sets.find((one) => one.environment === environment && one.is_serving);
  const circuit = row.circuits.find((one) => one.provider === name && one.environment === environment);
  return {
    provider,
    enabled,
    methods,
    version,
    notificationToken: notification_token,
    updatedAt: msOf(updated_at),
    newest: newestOf(environment)?.status ?? null,
    serving: serving ? { credentialId: serving.credential_id, isRejected: serving.rejected_at !== null } : null,
    openUntil: msOf(circuit?.open_until),
    credentials: { TEST: newestOf('TEST'), LIVE: newestOf('LIVE') },
  };
}

/** Whether new payments may start at all: real ones while the operator allows them (Y21). */
export const isOpen = ({ environment, livePayments }: Settings): boolean => environment === 'TEST' || livePayments;

/** The five conditions of live mode, as the settings are. */
export const conditionsOf = (settings: Settings): readonly LiveCondition[] => {
  const live = settings.providers.filter(({ enabled, credentials }) => enabled && credentials.LIVE !== null);
  return liveConditions({
    livePayments: settings.livePayments,
    liveSets: live.map(({ credentials }) => credentials.LIVE!.status === 'VERIFIED'),
    hasTerms: settings.hasTerms,
    domains: settings.paymentDomains,
  });
};
