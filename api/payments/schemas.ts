import type { Started } from '../../db/payments/queries.ts';
import type { Payment as Row } from '../../db/payments/entities.ts';
import { PROVIDERS } from '../../domain/payments/providers.ts';
import { type Option as ChosenOption, WALLETS } from '../../domain/paymentSettings/routing.ts';
import { RETURN_URL } from '../../domain/kernel/hosts.ts';
import { korean } from '../../domain/kernel/time.ts';
import { PAYMENT_METHODS, PAYMENT_RESULTS, PAYMENT_STATUSES } from '../../domain/payments/rules.ts';
import { Amounts, Delivery } from '../checkout/schemas.ts';
import { Address, closed, Email, Id, Name, nullable, oneOf, Phone, type Static, Timestamp, Type, Won } from '../kernel/schema.ts';

export const Option = closed(
  {
    pg: oneOf(PROVIDERS),
    method: oneOf(PAYMENT_METHODS),
    provider: Type.Optional(nullable(oneOf(WALLETS, 'The wallet of EASY_PAY'))),
  },
  { title: 'PaymentOption' },
);
export const optionOf = ({ pg, method, provider = null }: Static<typeof Option>): ChosenOption => ({ pg, method, provider });
export const ReturnUrl = Type.String({
  maxLength: 2000,
  description: 'Absolute https address; http on localhost in sandbox mode',
  'x-document': { pattern: RETURN_URL },
});
export const PaymentRequest = closed(
  {
    option: Option,
    returnUrl: ReturnUrl,
    shippingAddress: Type.Optional(Address),
    guest: Type.Optional(
      closed(
        { name: Name(50), phone: Phone, email: Email, orderPassword: Type.String({ minLength: 4, maxLength: 128 }) },
        { description: 'Required of guests; a customer is known' },
      ),
    ),
    pointAmount: Type.Optional(Won),
    expectedTotalAmount: Type.Optional(Won),
  },
  { title: 'PaymentRequest' },
);
export const PaymentStarted = closed(
  {
    paymentId: Id,
    attemptId: Id,
    option: closed({ pg: Type.String(), method: oneOf(PAYMENT_METHODS), provider: nullable(Type.String()) }),
    payUrl: Type.String(),
    expiresAt: Timestamp,
    testPayment: Type.Boolean(),
    amounts: Amounts,
    delivery: Delivery,
  },
  { title: 'PaymentStarted' },
);
export const PaymentStatus = closed(
  {
    paymentId: Id,
    status: oneOf(PAYMENT_STATUSES),
    result: oneOf(PAYMENT_RESULTS),
    orderId: nullable(Id),
    orderNo: nullable(Type.String()),
    lastFailure: nullable(
      closed({ attemptId: Id, category: Type.String(), code: Type.String(), message: Type.String(), optionUnavailable: Type.Boolean() }),
    ),
    testPayment: Type.Boolean(),
    expiresAt: Timestamp,
  },
  { title: 'PaymentStatus' },
);

export const viewStarted = ({ payment, attempt }: Started, publicUrl: string) => ({
  paymentId: payment.paymentId,
  attemptId: attempt.attemptId,
  option: { pg: attempt.pg, method: attempt.method as (typeof PAYMENT_METHODS)[number], provider: attempt.provider ?? null },
  payUrl: `${publicUrl}/pay/${payment.paymentId}?attemptId=${attempt.attemptId}`,
  expiresAt: korean(payment.expiresAt.getTime()),
  testPayment: payment.testPayment,
  amounts: payment.amounts,
  delivery: payment.delivery,
});

/** The public status, without buyer or provider data. `orderNo` only once there is an order. */
export const viewStatus = (payment: Row) => ({
  paymentId: payment.paymentId,
  status: payment.status,
  result: payment.result,
  orderId: payment.orderId ?? null,
  orderNo: payment.orderId ? payment.orderNo : null,
  lastFailure: payment.lastFailure ?? null,
  testPayment: payment.testPayment,
  expiresAt: korean(payment.expiresAt.getTime()),
});
