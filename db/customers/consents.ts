/** Consents of customers: a history of records, whose newest of a kind is the state (U9). Business times. */
import {
  agreedText,
  buyersPath,
  type ConsentAction,
  type ConsentKind,
  type ConsentPath,
  isRepeated,
} from '../../domain/customers/consents.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';
import { readStore } from '../stores/queries.ts';
import { type CustomerConsent, CustomerConsentEntity } from './entities.ts';

export interface WantedConsent {
  readonly kind: ConsentKind;
  readonly action: ConsentAction;
  readonly version?: string;
}
/** The state of a kind; of kinds without a record there is none. */
export interface ConsentState {
  readonly kind: ConsentKind;
  readonly agreed: boolean;
  readonly version: string | null;
  readonly at: Date;
}

/** Adds records with the store's texts as they are now; later changes of the store change none. */
export async function recordConsents(
  tx: Tx,
  customerId: string,
  consents: readonly WantedConsent[],
  path: ConsentPath,
  at = tx.at,
): Promise<void> {
  const { em, storeId } = tx;
  const { termsVersion = null, privacyVersion = null, termsUrl = null, privacyUrl = null } = await readStore(tx);
  for (const { kind, action, version } of consents) {
    const text = agreedText(kind, version, { termsVersion, privacyVersion, termsUrl, privacyUrl });
    const consentId = newId('con', at);
    em.persist(em.create(CustomerConsentEntity, { storeId, consentId, customerId, kind, action, ...text, path, at: new Date(at) }));
  }
  await em.flush();
}

/** A buyer's own change. CONSENT_REQUIRED. Their row is locked. */
export async function changeOwnConsent(tx: Tx, customerId: string, wanted: WantedConsent): Promise<ConsentState[]> {
  const path = buyersPath(wanted.kind, wanted.action);
  if (!path) throw new Fault('CONSENT_REQUIRED');
  return changeConsent(tx, customerId, wanted, path);
}

/** Adds a record unless it would repeat the state; the customer's row is locked. Records of one customer have times that grow. */
export async function changeConsent(tx: Tx, customerId: string, wanted: WantedConsent, path: ConsentPath): Promise<ConsentState[]> {
  const { sql, storeId } = tx;
  const [latest] = await sql<{ action: ConsentAction; version: string | null; at: Date | string }>`
    SELECT action, version, at FROM customer_consent WHERE store_id = ${storeId} AND customer_id = ${customerId} AND kind = ${wanted.kind}
    ORDER BY at DESC, consent_id DESC LIMIT 1`;
  const { termsVersion = null, privacyVersion = null, termsUrl = null, privacyUrl = null } = await readStore(tx);
  const { version } = agreedText(wanted.kind, wanted.version, { termsVersion, privacyVersion, termsUrl, privacyUrl });
  if (!isRepeated(latest ?? null, { action: wanted.action, version })) {
    const after = latest ? msOf(latest.at) + 1 : tx.at;
    await recordConsents(tx, customerId, [wanted], path, Math.max(tx.at, after));
  }
  return currentConsents(tx, customerId);
}

export async function currentConsents({ sql, storeId }: Tx, customerId: string): Promise<ConsentState[]> {
  const rows = await sql<{ kind: ConsentKind; agreed: boolean; version: string | null; at: Date | string }>`
    SELECT DISTINCT ON (kind) kind, action = 'AGREE' AS agreed, version, at FROM customer_consent
    WHERE store_id = ${storeId} AND customer_id = ${customerId} ORDER BY kind, at DESC, consent_id DESC`;
  return rows.map((row) => ({ ...row, at: new Date(row.at) }));
}

/** Newest first, of one kind or of all. */
export async function listConsents(
  { em, storeId }: Tx,
  customerId: string,
  { kind, ...page }: PageRequest & { readonly kind?: ConsentKind },
): Promise<{ readonly items: CustomerConsent[]; readonly total: number }> {
  const where = { storeId, customerId, ...(kind && { kind }) };
  const [items, total] = await em.findAndCount(CustomerConsentEntity, where, {
    orderBy: { at: 'desc', consentId: 'desc' },
    ...offset(page),
  });
  return { items, total };
}
