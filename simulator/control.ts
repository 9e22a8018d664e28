/** What a real provider does not have: its books, the calls it got, and how the next of them behave. */
import { ANY, type Behaviours, isOperation } from './behaviours.ts';
import type { Calls } from './calls.ts';
import { isKeyState, isProvider, type KeyStates } from './merchants.ts';
import { balanceOf, cancelsOf, type Payment, type Payments } from './payments.ts';
import { portoneStatus } from './portone.ts';
import { tossStatus } from './toss.ts';

export interface Books {
  readonly payments: Payments;
  readonly behaviours: Behaviours;
  readonly calls: Calls;
  readonly states: KeyStates;
  /** The mails that were sent. */
  readonly mails: () => readonly object[];
}
type Body = Readonly<Record<string, unknown>>;
type Reply = readonly [status: number, body: object];
const refused = (message: string): Reply => [400, { code: 'INVALID_REQUEST', message }];

export function control(books: Books, method: string, { pathname, searchParams }: URL, body: Body): Reply {
  switch (`${method} ${pathname}`) {
    case 'GET /__sim/mail':
      return [200, books.mails()];
    case 'GET /__sim/payments':
      return [200, books.payments.all().map((payment) => shown(payment, books.calls))];
    case 'GET /__sim/calls':
      return [200, searchParams.has('merchant') ? books.calls.by(searchParams.get('merchant')!) : books.calls.of(orderOf(searchParams))];
    case 'POST /__sim/next':
      return setNext(books.behaviours, body);
    case 'POST /__sim/merchants':
      return setState(books.states, body);
    default:
      return [404, { code: 'NOT_FOUND' }];
  }
}

const orderOf = (query: URLSearchParams): string => query.get('orderId') ?? '';

/** `times` calls behave so, one by default; none discards what was ordered before. */
function setNext(behaviours: Behaviours, { pg, op, behavior, orderId, times = 1 }: Body): Reply {
  if (!isOperation(op)) return refused('op: confirm, read, cancel or notify');
  if (pg !== undefined && !isProvider(pg)) return refused('pg: tosspayments or portone');
  const [order, provider] = [typeof orderId === 'string' ? orderId : ANY, pg ?? null];
  if (times === 0) behaviours.forget(op, order, provider);
  for (let n = 0; n < Number(times); n++) behaviours.add(op, String(behavior), order, provider);
  return [200, {}];
}

function setState(states: KeyStates, { pg, name, state }: Body): Reply {
  if (!isProvider(pg) || typeof name !== 'string' || !isKeyState(state)) return refused('pg, name and state: OK, REVOKED, DOWN or SLOW');
  states.set(pg, name, state);
  return [200, {}];
}

function shown(payment: Payment, calls: Calls): object {
  const { pg, merchant, environment, paymentKey, orderId, method, totalAmount } = payment;
  return {
    pg,
    merchant,
    environment,
    paymentKey,
    orderId,
    method,
    status: pg === 'portone' ? portoneStatus(payment) : tossStatus(payment),
    totalAmount,
    balanceAmount: balanceOf(payment),
    cancels: cancelsOf(payment).map(({ amount, reason, at }) => ({ amount, reason, at })),
    confirmKeys: calls.confirmKeys(orderId),
  };
}
