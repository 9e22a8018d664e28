/**
 * Changes of payment settings. All of them lock the store's settings first, so that each sees the last one
 * (docs/contract.md#payment-settings).
 */
import { LockMode } from '@mikro-orm/core';
import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import type { Method, Routing } from '../../domain/paymentSettings/routing.ts';
import { liveRefusal } from '../../domain/paymentSettings/rules.ts';
import { type Credentials, type Environment, ENVIRONMENTS, type ProviderName } from '../../domain/payments/providers.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { closeCircuit } from './circuits.ts';
import { chooseServing, insertSet, isSameSet, newestOf, retireSlot } from './credentials.ts';
import {
  type PaymentCredential,
  type PaymentProvider,
  PaymentProviderEntity,
  type PaymentSettings,
  PaymentSettingsEntity,
} from './entities.ts';
import { conditionsOf, readSettings } from './queries.ts';

export const lockSettings = ({ em, storeId }: Tx): Promise<PaymentSettings> =>
  em.findOneOrFail(PaymentSettingsEntity, { storeId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

export interface SettingsPatch {
  readonly sandboxMode?: boolean | undefined;
  readonly routing?: Routing | undefined;
  readonly priority?: ProviderName[] | undefined;
  /** Normalized. */
  readonly paymentDomains?: string[] | undefined;
  readonly expectedVersion?: number | undefined;
}
/**
 * Applies the sent fields. CONCURRENT_UPDATE first (Y7); then, where live mode is switched on or would lose its last domain, the live
 * gate, which is decided by what the request would leave (Y20).
 */
export async function changeSettings(tx: Tx, { expectedVersion, ...patch }: SettingsPatch): Promise<void> {
  const { em, at } = tx;
  const settings = await lockSettings(tx);
  if (expectedVersion !== undefined && expectedVersion !== settings.version)
    throw new Fault('CONCURRENT_UPDATE', { details: { version: settings.version } });
  const wasLive = !settings.sandboxMode;
  const hadDomain = settings.paymentDomains.length > 0;
  const sent = Object.entries(patch).filter(([, value]) => value !== undefined);
  const changed = sent.filter(([field, value]) => !isEqual(settings[field as keyof PaymentSettings], value));
  if (changed.length === 0) return;
  Object.assign(settings, Object.fromEntries(changed), { version: settings.version + 1, updatedAt: new Date(at) });
  await em.flush();
  const isLive = !settings.sandboxMode;
  const losesDomain = wasLive && hadDomain && settings.paymentDomains.length === 0;
  if (isLive && (!wasLive || losesDomain)) await checkGate(tx);
}
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

async function checkGate(tx: Tx): Promise<void> {
  const conditions = conditionsOf(await readSettings(tx));
  const refusal = liveRefusal(conditions);
  if (refusal) throw new Fault(refusal, { details: { conditions } });
}

/** Locks the settings and the provider; PAYMENT_PROVIDER_CHANGED when it has another version. */
async function lockProvider(tx: Tx, provider: ProviderName, expectedVersion: number | undefined) {
  const { em, storeId } = tx;
  const settings = await lockSettings(tx);
  const row = await em.findOneOrFail(PaymentProviderEntity, { storeId, provider });
  if (expectedVersion !== undefined && expectedVersion !== row.version)
    throw new Fault('PAYMENT_PROVIDER_CHANGED', { details: { version: row.version } });
  return { row, environment: environmentOf(settings) };
}
const environmentOf = ({ sandboxMode }: PaymentSettings): Environment => (sandboxMode ? 'TEST' : 'LIVE');

const touch = (tx: Tx, row: PaymentProvider, changes: Partial<PaymentProvider> = {}): void =>
  void Object.assign(row, changes, { version: row.version + 1, updatedAt: new Date(tx.at) });

export interface Stored {
  readonly set: Credentials;
  readonly byName: string | null;
  readonly expectedVersion?: number | undefined;
}
/** Stores a credential set, unverified; the very values of the newest one change nothing (Y4). */
export async function storeCredentials(tx: Tx, keyring: Keyring, { set, byName, expectedVersion }: Stored): Promise<void> {
  const { row } = await lockProvider(tx, set.provider, expectedVersion);
  const newest = await newestOf(tx, set);
  if (newest && isSameSet(keyring, newest, set)) return;
  await insertSet(tx, keyring, { set, status: 'UNVERIFIED', byName });
  touch(tx, row);
}

export interface ProviderPatch {
  readonly enabled?: boolean | undefined;
  readonly methods?: readonly Method[] | undefined;
  readonly expectedVersion?: number | undefined;
}
export async function changeProvider(tx: Tx, provider: ProviderName, { expectedVersion, enabled, methods }: ProviderPatch): Promise<void> {
  const { row } = await lockProvider(tx, provider, expectedVersion);
  const isOther = enabled !== undefined && enabled !== row.enabled;
  const hasOthers = methods !== undefined && !isEqual(methods.map(keysOf), row.methods.map(keysOf));
  if (isOther || hasOthers) touch(tx, row, { ...(isOther && { enabled }), ...(hasOthers && { methods }) });
}
const keysOf = ({ method, provider }: Method) => [method, provider];

/** Retires a slot's sets. PAYMENT_CREDENTIAL_ACTIVE, PAYMENT_CREDENTIAL_NOT_FOUND. */
export async function retireCredentials(tx: Tx, provider: ProviderName, environment: Environment, expected?: number): Promise<void> {
  const { row, environment: current } = await lockProvider(tx, provider, expected);
  if (!(await newestOf(tx, { provider, environment }))) throw new Fault('PAYMENT_CREDENTIAL_NOT_FOUND');
  if (row.enabled && environment === current) throw new Fault('PAYMENT_CREDENTIAL_ACTIVE');
  await retireSlot(tx, { provider, environment });
  touch(tx, row);
}

const DEFAULTS = { enabled: true, methods: [{ method: 'CARD', provider: null }] } as const;

/** Retires both slots of a provider and brings its defaults back. */
export async function resetProvider(tx: Tx, provider: ProviderName, expectedVersion?: number): Promise<void> {
  const { row, environment: current } = await lockProvider(tx, provider, expectedVersion);
  const slots = await Promise.all(ENVIRONMENTS.map((environment) => newestOf(tx, { provider, environment })));
  if (slots.every((set) => set === null)) throw new Fault('PAYMENT_CREDENTIAL_NOT_FOUND');
  if (row.enabled && slots.some((set) => set?.environment === current)) throw new Fault('PAYMENT_CREDENTIAL_ACTIVE');
  for (const environment of ENVIRONMENTS) await retireSlot(tx, { provider, environment });
  touch(tx, row, DEFAULTS);
}

/** The set that a verification is about; PAYMENT_CREDENTIAL_NOT_FOUND. `environment`: the current one by default. */
export async function setToVerify(tx: Tx, provider: ProviderName, environment?: Environment): Promise<PaymentCredential> {
  const settings = await tx.em.findOneOrFail(PaymentSettingsEntity, { storeId: tx.storeId });
  const set = await newestOf(tx, { provider, environment: environment ?? environmentOf(settings) });
  if (!set) throw new Fault('PAYMENT_CREDENTIAL_NOT_FOUND');
  return set;
}

/**
 * Records what the provider said of a set. PAYMENT_CREDENTIAL_CHANGED when it is no longer the newest of its slot. A success closes
 * the circuit, and makes the set the serving one.
 */
export async function recordVerification(tx: Tx, checked: PaymentCredential, isValid: boolean): Promise<PaymentCredential> {
  const { provider, environment, credentialId } = checked;
  const { row } = await lockProvider(tx, provider, undefined);
  const set = await newestOf(tx, { provider, environment });
  if (set?.credentialId !== credentialId) throw new Fault('PAYMENT_CREDENTIAL_CHANGED' satisfies ErrorCode);
  const now = new Date(tx.at);
  Object.assign(set, isValid ? { status: 'VERIFIED', verifiedAt: now } : { status: 'FAILED' }, { updatedAt: now });
  // A payment that was refused meanwhile may have marked it after it was read here.
  if (isValid)
    await tx.sql`UPDATE payment_credential SET rejected_at = NULL WHERE store_id = ${tx.storeId} AND credential_id = ${credentialId}`;
  if (!isValid) set.isServing = false;
  await chooseServing(tx, { provider, environment });
  if (isValid) await closeCircuit(tx, { provider, environment });
  touch(tx, row);
  return set;
}
