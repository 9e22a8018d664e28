/** The envelope (docs/contract.md#envelope, D4) and how failures are told. */
import type { Context } from 'koa';
import { isOutage } from '../../db/kernel/outage.ts';
import type { Log } from '../../db/kernel/log.ts';
import { catalogue, type ErrorCode, Fault, type FieldError } from '../../domain/kernel/errors.ts';

export function succeed(ctx: Context, status: number, data: unknown): void {
  ctx.status = status;
  ctx.body = {
    meta: { status, code: 'OK', message: '', isSuccess: true, requestId: ctx.state['requestId'] },
    data: data ?? null,
    error: null,
  };
}

/** A refusal as it is told, without its request id. */
export interface ErrorReply {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown; readonly fieldErrors?: unknown };
}

export type Statuses = Partial<Readonly<Record<ErrorCode, number>>>;

/** `statuses`: where an operation answers a code with another status than the catalogue's. */
export function refusal(fault: Fault, statuses: Statuses = {}): ErrorReply {
  const { status, message } = catalogue[fault.code];
  const { fieldErrors, ...extra } = fault.extra;
  const error = { code: fault.code, message, ...extra, ...(fieldErrors && { fieldErrors: limited(fieldErrors) }) };
  return { status: statuses[fault.code] ?? status, error };
}

const MAX_TOLD = 100;
const MAX_FIELD = 200;
/** Of the 64 kB that a refusal may have, what its field errors may take. */
const MAX_TOLD_BYTES = 60_000;

/** The first hundred problems, a field cut at 200 characters, and never so many that the refusal grows beyond 64 kB (X7). */
function limited(fieldErrors: readonly FieldError[]): FieldError[] {
  const told: FieldError[] = [];
  let bytes = 0;
  for (const error of fieldErrors.slice(0, MAX_TOLD)) {
    const cut = { ...error, field: error.field.slice(0, MAX_FIELD).toWellFormed() };
    bytes += Buffer.byteLength(JSON.stringify(cut)) + 1;
    if (bytes > MAX_TOLD_BYTES) break;
    told.push(cut);
  }
  return told;
}

export function fail(ctx: Context, { status, error }: ErrorReply): void {
  ctx.status = status;
  ctx.body = {
    meta: { status, code: error.code, message: error.message, isSuccess: false, requestId: ctx.state['requestId'] },
    data: null,
    error,
  };
  if (status === 503 || status === 429) if (!ctx.response.get('retry-after')) ctx.set('Retry-After', '1');
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (status === 413) ctx.set('Connection', 'close');
}

/** Whatever was thrown as a Fault; an outage of Postgres is 503, everything else is a bug: INTERNAL, no text leaked. */
export function asFault(error: unknown, log: Log, requestId: string): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Error && error.name === 'ServiceError') {
    log.warn({ requestId, err: error }, 'Temporal is out of reach');
    return new Fault('TEMPORARILY_UNAVAILABLE');
  }
  if (isOutage(error)) {
    log.warn({ requestId, err: error }, 'Postgres is out of reach');
    return new Fault('TEMPORARILY_UNAVAILABLE');
  }
  log.error({ requestId, err: error }, 'unexpected failure');
  return new Fault('INTERNAL');
}
