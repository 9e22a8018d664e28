/** Commands of the payment screen: the buyer came back from the provider's window, authenticated or not. */
import type { RouterContext } from '@koa/router';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { paymentRun, readAttempt } from '../../db/payments/queries.ts';
import { storeText } from '../../db/runs/text.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Command, CommandContent } from '../../workflows/kernel/messages.ts';
import { COMMAND_MS } from '../declare/commands.ts';
import { sendCommand } from '../pipeline/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { answerFromRow, type Found, isOpen, isPopup, leave, mayBePaid, see, sendUnknown, text } from './answers.ts';
import { isWindowRefused, nextAttempt } from './retry.ts';
import { type Parameter, readFailed, readReturned, type Returned } from './returns.ts';

type Content = CommandContent<'payment'>;
/** The command of a return; 400 or 409 when it is not about this attempt; null when the attempt has ended. */
type ReadCommand = Content | 400 | 409 | null;

const queryOf =
  (ctx: RouterContext): Parameter =>
  (name, longest) => {
    const value = text(ctx, name, longest);
    return value === '' && (ctx.query[name] ?? '') !== '' ? null : value;
  };

/** What comes from the URL is stored as text, and only its id goes along. */
const storePresent = async (tx: Tx, name: string, value: string | null) => value !== null && { [name]: await storeText(tx, value) };
/** The amount is ours, where the provider names none. */
async function commandOf(tx: Tx, { attempt }: Found, returned: Extract<Returned, object>): Promise<Content> {
  const { attemptId, pgOrderId, amountWon: amount } = attempt;
  if (returned.name === 'giveUp') return { name: 'giveUp', input: { attemptId, codeId: await storeText(tx, returned.code) } };
  const key = await storePresent(tx, 'paymentKeyId', returned.paymentKey);
  const token = await storePresent(tx, 'paymentTokenId', returned.paymentToken);
  return { name: 'pay', input: { attemptId, pgOrderId, amount, ...key, ...token } };
}

/**
 * GET …/return: what the provider's window says when the buyer comes back. An attempt that has ended may have been paid in it: that is
 * read.
 */
export async function readReturn(ctx: RouterContext, tx: Tx, found: Found): Promise<ReadCommand> {
  const { attemptId } = found.attempt;
  if (!isOpen(found)) return mayBePaid(found) ? { name: 'notified', input: { attemptId } } : null;
  const returned = readReturned(queryOf(ctx), found.attempt);
  return typeof returned === 'number' ? returned : commandOf(tx, found, returned);
}

/** GET …/fail: without authentication, with the provider's code. */
export const readFailure = async (ctx: RouterContext, tx: Tx, found: Found): Promise<ReadCommand> =>
  isOpen(found) ? commandOf(tx, found, readFailed(queryOf(ctx), found.attempt)) : null;

/** Sends the command to the payment's run, and answers with what came of it. */
export async function comeBack(ctx: RouterContext, deps: ApiDeps, found: Found, command: ReadCommand): Promise<void> {
  if (typeof command === 'number') return sendUnknown(ctx, command);
  if (command?.name === 'notified') await sendHint(ctx, deps, found, command);
  if (!command || command.name === 'notified') return isWindowRefused(found) ? goOn(ctx, deps, found) : answerFromRow(ctx, found);
  const fresh = await runCommand(ctx, deps, found, command);
  if (!fresh) return;
  // Without a token, the reading shows nothing yet: its page waits for it, or leads to the window once more.
  if (fresh.payment.status === 'processing' || (command.name === 'pay' && isOpen(fresh))) return see(ctx, fresh);
  if (isWindowRefused(fresh)) return goOn(ctx, deps, fresh);
  leave(ctx, fresh, fresh.payment.result);
}

/** To the pay page of the next attempt, or back to the shop with FAILED. What became of the payment meanwhile, its page shows. */
async function goOn(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  try {
    const next = await nextAttempt(deps, found);
    if (next) see(ctx, next);
    else answerFromRow(ctx, found);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
    see(ctx, found);
  }
}

const commandFor = (
  ctx: RouterContext,
  deps: ApiDeps,
  { payment, at, realNow }: Found,
  content: Content,
  key: string,
): Command<'payment'> => ({
  ...content,
  ...(content.name === 'pay' && { wait: 'idle' }),
  operation: { principal: payment.paymentId, key, id: `pay.${content.name}`, fingerprint: content.name },
  requestId: String(ctx.state['requestId']),
  actor: 'BUYER',
  clock: at - realNow,
  notAfter: deps.clock.now() + COMMAND_MS,
});

/** Once an attempt. Whoever comes back does not wait for it, and is answered without it. */
async function sendHint(ctx: RouterContext, deps: ApiDeps, found: Found, content: Content): Promise<void> {
  const { payment, attempt } = found;
  try {
    await sendCommand(deps, paymentRun(payment), commandFor(ctx, deps, found, content, `notified-${attempt.attemptId}`));
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
  }
}

/** The payment after the command; null when the response is sent already. `pay` waits for the outcome within the deadline. */
async function runCommand(ctx: RouterContext, deps: ApiDeps, found: Found, content: Content): Promise<Found | null> {
  const { payment, attempt } = found;
  // A return without a token ends nothing: it is read each time.
  const isRead = content.name === 'pay' && attempt.pg === 'portone' && content.input.paymentTokenId === undefined;
  const key = isRead ? String(ctx.state['requestId']) : `${content.name}-${attempt.attemptId}`;
  const command = commandFor(ctx, deps, found, content, key);
  try {
    const status = await sendCommand(deps, paymentRun(payment), command);
    // A popup is told the order, too.
    if (status === 'COMPLETED' && !isPopup(ctx)) {
      leave(ctx, found, status);
      return null;
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
    if (error.code !== 'TEMPORARILY_UNAVAILABLE') {
      sendUnknown(ctx, 409);
      return null;
    }
  }
  const fresh = await inTenant(deps.orm, found, REQUEST, (tx) => readAttempt(tx, payment.paymentId, attempt.attemptId));
  return { ...found, ...fresh };
}
