import type { Begun } from '../../db/payments/queries.ts';
import type { Payment as Row } from '../../db/payments/entities.ts';
import { PROVIDERS } from '../../domain/payments/providers.ts';
import { type Option as ChosenOption, WALLETS } from '../../domain/paymentSettings/routing.ts';
import { RETURN_URL } from '../../domain/kernel/hosts.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { PAYMENT_METHODS, PAYMENT_RESULTS, PAYMENT_STATUSES } from '../../domain/payments/rules.ts';
import { viewDelivery } from '../../domain/checkout/rules.ts';
import { Amounts, PaidDelivery } from '../checkout/schemas.ts';
import {
  Address,
  closed,
  Email,
  Id,
  Name,
  nullable,
  oneOf,
  Phone,
  type Static,
  Timestamp,
  Type,
  VERBATIM,
  Won,
} from '../declare/schema.ts';

export const Option = closed(
  {
    pg: oneOf(PROVIDERS),
    method: oneOf(PAYMENT_METHODS),
    provider: Type.Optional(nullable(oneOf(WALLETS, 'The wallet of EASY_PAY'))),
  },
  { title: 'PaymentOption' },
);
export const optionOf = ({ pg, method, provider = null }: Static<typeof Option>): ChosenOption => ({ pg, method, provider });
const RETURN = 'Absolute https address; http on localhost in sandbox mode';
export const ReturnUrl = Type.String({
  maxLength: 2000,
  description: RETURN,
  'x-document': { pattern: RETURN_URL },
  ...VERBATIM,
});
export const PaymentRequest = closed(
  {
    option: Type.Optional(Option),
    returnUrl: Type.Optional({ ...ReturnUrl, description: `${RETURN}. Required where anything remains to be paid` }),
    shippingAddress: Type.Optional(Address),
    guest: Type.Optional(
      closed(
        { name: Name(50), phone: Phone, email: Email, orderPassword: Type.String({ minLength: 4, maxLength: 128, ...VERBATIM }) },
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
    status: oneOf(['pending', 'completed'], 'Completed: points have paid for everything, and there is an order already'),
    orderId: nullable(Id),
    orderNo: nullable(Type.String()),
    attemptId: nullable(Id),
    option: nullable(closed({ pg: Type.String(), method: oneOf(PAYMENT_METHODS), provider: nullable(Type.String()) })),
    payUrl: nullable(Type.String()),
    expiresAt: Timestamp,
    testPayment: Type.Boolean(),
    amounts: Amounts,
    delivery: PaidDelivery,
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

/** Without an attempt it is completed. */
export const viewStarted = ({ payment, attempt }: Begun, publicUrl: string) => ({
  paymentId: payment.paymentId,
  status: attempt ? ('pending' as const) : ('completed' as const),
  orderId: attempt ? null : (payment.orderId ?? null),
  orderNo: attempt ? null : payment.orderNo,
  attemptId: attempt?.attemptId ?? null,
  option: attempt && { pg: attempt.pg, method: attempt.method as (typeof PAYMENT_METHODS)[number], provider: attempt.provider ?? null },
  payUrl: attempt && `${publicUrl}/pay/${payment.paymentId}?attemptId=${attempt.attemptId}`,
  expiresAt: koreanOf(payment.expiresAt),
  testPayment: payment.testPayment,
  amounts: payment.amounts,
  delivery: viewDelivery(payment.delivery),
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
  expiresAt: koreanOf(payment.expiresAt),
});
