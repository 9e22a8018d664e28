import type { CustomerConsent } from '../../db/customers/entities.ts';
import type { CustomerStats, ListedCustomer as Row } from '../../db/customers/list.ts';
import { CONSENT_ACTIONS, CONSENT_KINDS, CONSENT_PATHS } from '../../domain/customers/consents.ts';
import { maskPhone } from '../../domain/customers/rules.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { BuyerAddress } from '../addressBook/schemas.ts';
import { ConsentState } from '../consents/schemas.ts';
import { FLAGS } from '../declare/parameters.ts';
import { closed, Count, Id, Name, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

/** Sums of won over all of a customer's orders, which may be more than one order may cost. */
const Sum = Type.Integer({ description: 'Won' });
const base = {
  customerId: Id,
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  joinedAt: Timestamp,
  marketingConsent: Type.Boolean(),
};
const bought = { orderCount: Count, purchaseAmount: Sum, lastOrderedAt: nullable(Timestamp) };
export const ListedCustomer = closed({ ...base, ...bought }, { title: 'ListedCustomer', description: 'The phone is masked' });
export const CustomerView = closed(
  {
    ...base,
    addresses: Type.Array(BuyerAddress),
    stats: closed({ ...bought, paidAmount: Sum, refundedAmount: Sum }, { title: 'CustomerStats' }),
    consents: Type.Array(ConsentState),
  },
  { title: 'Customer' },
);
export const ConsentRecord = closed(
  {
    consentId: Id,
    kind: oneOf(CONSENT_KINDS),
    action: oneOf(CONSENT_ACTIONS),
    version: nullable(Type.String()),
    url: nullable(Type.String()),
    path: oneOf(CONSENT_PATHS),
    at: Timestamp,
  },
  { title: 'ConsentRecord' },
);
export const MarketingRequest = closed(
  { kind: oneOf(['MARKETING']), action: oneOf(CONSENT_ACTIONS) },
  { title: 'MarketingConsentRequest' },
);
export const WithdrawalRequest = closed(
  {
    reason: Name(200),
    confirmation: nullable(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'The customer’s e-mail; the name of one without. null in requests of agents whose customer is gone',
      }),
    ),
  },
  { title: 'WithdrawalRequest' },
);
export const Withdrawn = closed({ customerId: Id, withdrawnAt: Timestamp }, { title: 'Withdrawn' });

export const INCLUDE_TEST = { includeTest: Type.Optional(oneOf(FLAGS, 'true: orders in sandbox mode count too')) };

const baseOf = ({ customerId, name, email, phone, joinedAt, marketingAgreed }: Row) => ({
  customerId,
  name,
  email,
  phone,
  joinedAt: koreanOf(joinedAt),
  marketingConsent: marketingAgreed,
});
const boughtOf = ({ orderCount, purchaseWon, lastOrderedAt }: CustomerStats) => ({
  orderCount,
  purchaseAmount: purchaseWon,
  lastOrderedAt: koreanOf(lastOrderedAt),
});
export const viewListed = (row: Row) => ({ ...baseOf(row), phone: row.phone === null ? null : maskPhone(row.phone), ...boughtOf(row) });
export const viewCustomer = (row: Row) => ({
  ...baseOf(row),
  stats: { ...boughtOf(row), paidAmount: row.paidWon, refundedAmount: row.refundedWon },
});
export const viewRecord = ({ consentId, kind, action, version, url, path, at }: CustomerConsent) => ({
  consentId,
  kind,
  action,
  version: version ?? null,
  url: url ?? null,
  path,
  at: koreanOf(at),
});
