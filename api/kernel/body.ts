import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { Fault, invalid } from '../../workflows/kernel/errors.ts';

const LIMIT = 256 * 1024;

/** The body's bytes, at most 256 kB; a larger one is refused before it is read to its end. */
export async function readBytes(ctx: Context): Promise<Buffer> {
  const length = ctx.req.headers['content-length'] ?? null;
  try {
    const bytes: Buffer = await getRawBody(ctx.req, { limit: LIMIT, length });
    return bytes;
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') throw new Fault('PAYLOAD_TOO_LARGE');
    throw invalid('', 'INVALID_BODY', 'The body could not be read to its end.');
  }
}

/** A JSON body. No body at all is an empty object, so that its missing fields are named. */
export async function readJson(ctx: Context): Promise<unknown> {
  const bytes = await readBytes(ctx);
  if (bytes.length === 0) return {};
  if (!ctx.is('application/json', '+json')) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw invalid('', 'MALFORMED_JSON', 'The body is not valid JSON in UTF-8.');
  }
}
