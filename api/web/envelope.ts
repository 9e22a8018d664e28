/** The envelope of responses (docs/contract.md#envelope), and error responses. */
import type { Context } from 'koa';
import type { Statuses } from '../declare/endpoint.ts';
import { isLockTimeout, isOutage } from '../../db/kernel/outage.ts';
import type { Log } from '../../db/kernel/log.ts';
import { catalogue, Fault, type FieldError } from '../../domain/kernel/errors.ts';

/** What every answer of an operation is. */
export interface Envelope {
  readonly meta: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly isSuccess: boolean;
    readonly requestId: string;
  };
  readonly data: unknown;
  readonly error: ErrorReply['error'] | null;
}
/** `code`: of the envelope's `meta`. */
export const successOf = (status: number, data: unknown, requestId: string, code = 'OK'): Envelope => ({
  meta: { status, code, message: '', isSuccess: true, requestId },
  data: data ?? null,
  error: null,
});
export const failureOf = ({ status, error }: ErrorReply, requestId: string): Envelope => ({
  meta: { status, code: error.code, message: error.message, isSuccess: false, requestId },
  data: null,
  error,
});

export function succeed(ctx: Context, status: number, data: unknown, code?: string): void {
  ctx.status = status;
  ctx.body = successOf(status, data, String(ctx.state['requestId']), code);
}

/** A picture, which runs and loads nothing wherever it is opened. */
export function show(ctx: Context, type: string, picture: string): void {
  ctx.status = 200;
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Type', `${type}; charset=utf-8`);
  ctx.body = picture;
}

/** An error response without its request id. */
export interface ErrorReply {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown; readonly fieldErrors?: unknown };
}

/** The error response of a Fault. `statuses`: HTTP statuses of the operation that differ from the catalogue's. */
export function refusal(fault: Fault, statuses: Statuses = {}): ErrorReply {
  const { status, message } = catalogue[fault.code];
  const { fieldErrors, ...extra } = fault.extra;
  const error = { code: fault.code, message, ...extra, ...(fieldErrors && { fieldErrors: limited(fieldErrors) }) };
  return { status: statuses[fault.code] ?? status, error };
}

const MAX_FIELD_ERRORS = 100;
const MAX_FIELD_LENGTH = 200;
/** The field errors' part of the 64 kB of an error response. */
const MAX_FIELD_ERRORS_BYTES = 60_000;

/** The first hundred field errors, each field cut at 200 characters, limited so that the response stays below 64 kB (X7). */
function limited(fieldErrors: readonly FieldError[]): FieldError[] {
  const reported: FieldError[] = [];
  let bytes = 0;
  for (const error of fieldErrors.slice(0, MAX_FIELD_ERRORS)) {
    const cut = { ...error, field: error.field.slice(0, MAX_FIELD_LENGTH).toWellFormed() };
    bytes += Buffer.byteLength(JSON.stringify(cut)) + 1;
    if (bytes > MAX_FIELD_ERRORS_BYTES) break;
    reported.push(cut);
  }
  return reported;
}

export function fail(ctx: Context, { status, error }: ErrorReply): void {
  ctx.status = status;
  ctx.state['errorCode'] = error.code;
  ctx.body = failureOf({ status, error }, String(ctx.state['requestId']));
  if ((status === 503 || error.code === 'TOO_MANY_REQUESTS') && !ctx.response.get('retry-after')) ctx.set('Retry-After', '1');
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (status === 413) ctx.set('Connection', 'close');
}

/** Any error as a Fault: TEMPORARILY_UNAVAILABLE for an outage, INTERNAL for everything else, which is logged and not shown. */
export function asFault(error: unknown, log: Log, requestId: string): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Error && error.name === 'ServiceError') {
    log.warn({ requestId, err: error }, 'Temporal is out of reach');
    return new Fault('TEMPORARILY_UNAVAILABLE');
  }
  // Others of its store hold the row: no outage, and nobody's failure.
  if (isLockTimeout(error)) {
    log.info({ requestId }, 'a lock was not free in time');
    return new Fault('TEMPORARILY_UNAVAILABLE');
  }
  if (isOutage(error)) {
    log.warn({ requestId, err: error }, 'Postgres is out of reach');
    return new Fault('TEMPORARILY_UNAVAILABLE');
  }
  log.error({ requestId, err: error }, 'unexpected failure');
  return new Fault('INTERNAL');
}
