/** Credential sets at rest: sealed, opened for calls to providers, retired but never deleted. */
import type { Credentials, Environment, ProviderName } from '../../domain/payments/providers.ts';
import { hintOf } from '../../domain/paymentSettings/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { type PaymentCredential, PaymentCredentialEntity, type PublicHalves } from './entities.ts';

type SecretColumn = 'secret_sealed' | 'webhook_secret_sealed';
export const paymentSecretLocation = (store: string, row: string, column: SecretColumn): SealLocation => ({
  store,
  table: 'payment_credential',
  row,
  column,
});

const publicHalvesOf = (set: Credentials): PublicHalves =>
  set.provider === 'tosspayments' ? { clientKey: set.clientKey } : { storeId: set.storeId, channelKey: set.channelKey };
const secretOf = (set: Credentials): string => (set.provider === 'tosspayments' ? set.secretKey : set.apiSecret);
const webhookSecretOf = (set: Credentials): string | null => (set.provider === 'tosspayments' ? null : set.webhookSecret);

/** A set with its secrets; never to be logged or returned. */
export function openCredentials(keyring: Keyring, row: PaymentCredential): Credentials {
  const { storeId, credentialId, environment, publicHalves } = row;
  const secret = keyring.open(row.secretSealed, paymentSecretLocation(storeId, credentialId, 'secret_sealed'));
  if ('clientKey' in publicHalves) return { provider: 'tosspayments', environment, clientKey: publicHalves.clientKey, secretKey: secret };
  return { provider: 'portone', environment, ...publicHalves, apiSecret: secret, webhookSecret: webhookSecretIn(keyring, row) };
}

function webhookSecretIn(keyring: Keyring, { storeId, credentialId, webhookSecretSealed: sealed }: PaymentCredential): string | null {
  return sealed ? keyring.open(sealed, paymentSecretLocation(storeId, credentialId, 'webhook_secret_sealed')) : null;
}

interface Slot {
  readonly provider: ProviderName;
  readonly environment: Environment;
}
/** The newest set of a slot. */
export const newestOf = ({ em, storeId }: Tx, { provider, environment }: Slot): Promise<PaymentCredential | null> =>
  em.findOne(PaymentCredentialEntity, { storeId, provider, environment, isNewest: true });

/** The set that new payments of a slot use. */
export const servingOf = ({ em, storeId }: Tx, { provider, environment }: Slot): Promise<PaymentCredential | null> =>
  em.findOne(PaymentCredentialEntity, { storeId, provider, environment, isServing: true });

export interface NewSet {
  readonly set: Credentials;
  readonly status: 'UNVERIFIED' | 'VERIFIED';
  readonly byName: string | null;
}
/** Stores a set as the newest of its slot; the one that serves goes on until this one is verified. The caller has locked the settings. */
export async function insertSet(tx: Tx, keyring: Keyring, { set, status, byName }: NewSet): Promise<PaymentCredential> {
  const { em, storeId, at, sql } = tx;
  const { provider, environment } = set;
  const [last] = await sql<{ seq: number }>`SELECT coalesce(max(seq), 0)::integer AS seq FROM payment_credential
    WHERE store_id = ${storeId} AND provider = ${provider} AND environment = ${environment}`;
  await em.nativeUpdate(PaymentCredentialEntity, { storeId, provider, environment, isNewest: true }, { isNewest: false });
  const credentialId = newId('crd', at);
  const location = (column: SecretColumn) => paymentSecretLocation(storeId, credentialId, column);
  const [secret, webhookSecret] = [secretOf(set), webhookSecretOf(set)];
  const isVerified = status === 'VERIFIED';
  const row = em.create(PaymentCredentialEntity, {
    storeId,
    credentialId,
    provider,
    environment,
    seq: last!.seq + 1,
    status,
    publicHalves: publicHalvesOf(set),
    hints: { secret: hintOf(secret), webhookSecret: webhookSecret === null ? null : hintOf(webhookSecret) },
    secretSealed: keyring.seal(secret, location('secret_sealed')),
    webhookSecretSealed: webhookSecret === null ? null : keyring.seal(webhookSecret, location('webhook_secret_sealed')),
    isNewest: true,
    isServing: isVerified,
    createdAt: new Date(at),
    updatedAt: new Date(at),
    updatedByName: byName,
    verifiedAt: isVerified ? new Date(at) : null,
  });
  em.persist(row);
  await em.flush();
  return row;
}

/** Whether a set has the very values of a stored one. */
export function isSameSet(keyring: Keyring, row: PaymentCredential, set: Credentials): boolean {
  const known = openCredentials(keyring, row);
  return (Object.keys(set) as (keyof Credentials)[]).every((field) => known[field] === set[field]);
}

/** The newest verified set of a slot serves, no other. */
export async function chooseServing({ sql, em, storeId }: Tx, { provider, environment }: Slot): Promise<void> {
  await em.flush();
  const slot = { storeId, provider, environment };
  await em.nativeUpdate(PaymentCredentialEntity, { ...slot, isServing: true }, { isServing: false });
  await sql`UPDATE payment_credential SET is_serving = true WHERE (store_id, credential_id) = (
    SELECT store_id, credential_id FROM payment_credential WHERE store_id = ${storeId} AND provider = ${provider}
      AND environment = ${environment} AND status = 'VERIFIED' AND retired_at IS NULL ORDER BY seq DESC LIMIT 1)`;
}

/** Retires all sets of a slot; they stay sealed, for what was paid with them. */
export const retireSlot = ({ em, storeId, at }: Tx, { provider, environment }: Slot): Promise<number> =>
  em.nativeUpdate(
    PaymentCredentialEntity,
    { storeId, provider, environment, retiredAt: null },
    { retiredAt: new Date(at), isNewest: false, isServing: false },
  );

/** The set of an attempt and, behind it, the newest verified one of the same provider and environment, retired or not. */
export async function credentialsFor(tx: Tx, keyring: Keyring, credentialId: string): Promise<readonly Credentials[]> {
  const { em, sql, storeId } = tx;
  const rows = await sql<object>`
    SELECT c.* FROM payment_credential own JOIN payment_credential c ON c.store_id = own.store_id AND (c.credential_id = own.credential_id
      OR c.provider = own.provider AND c.environment = own.environment AND c.status = 'VERIFIED')
    WHERE own.store_id = ${storeId} AND own.credential_id = ${credentialId}
    ORDER BY c.credential_id = own.credential_id DESC, c.seq DESC LIMIT 2`;
  return rows.map((row) => openCredentials(keyring, em.map(PaymentCredentialEntity, row)));
}

/** Marks a set that the provider refused at a confirm: its provider is routed no longer (Y18). */
export const rejectSet = ({ em, storeId, at }: Tx, credentialId: string): Promise<number> =>
  em.nativeUpdate(PaymentCredentialEntity, { storeId, credentialId, rejectedAt: null }, { rejectedAt: new Date(at) });

/** The secrets with which PortOne may have signed a notification: of both environments, retired sets included. */
export async function webhookSecrets(tx: Tx, keyring: Keyring): Promise<readonly string[]> {
  const { em, storeId } = tx;
  const rows = await em.find(PaymentCredentialEntity, { storeId, provider: 'portone', webhookSecretSealed: { $ne: null } });
  return [...new Set(rows.map((row) => webhookSecretIn(keyring, row)!))];
}
