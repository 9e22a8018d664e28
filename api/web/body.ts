import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { Fault, type FieldError, invalid } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { bodiesInFlight, cutOff } from './inFlight.ts';
import { outgrown } from '../validation/scan.ts';
import { closed } from '../declare/schema.ts';
import { readMultipart } from './upload.ts';
import type { UploadedFile } from '../declare/incoming.ts';

const LIMIT = 256 * 1024;

/** UNSUPPORTED_MEDIA_TYPE for a compressed body, whose size its head does not tell (D93). */
function refuseEncoded(ctx: Context): void {
  if (/^\s*(?:identity)?\s*$/i.test(ctx.get('content-encoding'))) return;
  ctx.set('Accept-Encoding', 'identity');
  throw new Fault('UNSUPPORTED_MEDIA_TYPE');
}

/** The body's bytes, at most 256 kB; a larger one is refused before it is read to its end, and one too many before it is read at all. */
export async function readBytes(ctx: Context): Promise<Buffer> {
  const length = ctx.req.headers['content-length'] ?? null;
  refuseEncoded(ctx);
  if (Number(length ?? 0) > LIMIT) throw new Fault('PAYLOAD_TOO_LARGE');
  bodiesInFlight.admit(ctx, LIMIT);
  try {
    const bytes: Buffer = await getRawBody(ctx.req, { limit: LIMIT, length });
    return bytes;
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') throw new Fault('PAYLOAD_TOO_LARGE');
    throw cutOff();
  }
}

/** A JSON body; undefined where none was sent. */
export async function readJson(ctx: Context): Promise<unknown> {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = ctx.req.headers;
  if (encoding === undefined && length === '0') return undefined;
  const bytes = await readBytes(ctx);
  if (bytes.length === 0) return undefined;
  if (!isJson(ctx)) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  return parseJson(bytes);
}

/** `application/json` only, as documented, with no charset but UTF-8 (RFC 8259 § 8.1). */
const isJson = (ctx: Context): boolean => ctx.is('application/json') !== false && /^(?:utf-?8)?$/i.test(ctx.request.charset);

/** Parses JSON in UTF-8, unless it has far too many fields or levels (scan.ts); anything else is MALFORMED_JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  const problem = outgrown(bytes);
  if (problem) throw new Fault('VALIDATION_FAILED', { fieldErrors: [problem] });
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw invalid('', 'MALFORMED_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

/** JSON, undefined where none was sent; or the text fields of a multipart body with its file. */
export async function bodyOf(
  ctx: Context,
  endpoint: Endpoint,
  { storage }: ApiDeps,
): Promise<{ sent: unknown; file: UploadedFile | null }> {
  if (endpoint.maxFileBytes === undefined) return { sent: await readJson(ctx), file: null };
  refuseEncoded(ctx);
  const { fields, file } = await readMultipart(ctx, endpoint.maxFileBytes, storage);
  return { sent: fields, file };
}

/** The body schema of an operation without a body: no fields. */
export const NO_FIELDS = closed({});
/** The problem of a missing body, where no other field error names what is missing. */
export const NO_BODY: FieldError = { field: '', code: 'REQUIRED', message: 'Send a body.' };
