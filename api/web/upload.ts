/** Multipart bodies: text fields and one file, written to the disk as it comes. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { Context } from 'koa';
import type { Storage } from '../../activities/providers/storage.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import type { UploadedFile } from '../declare/incoming.ts';
import { cutOff, uploadsInFlight } from './inFlight.ts';

export interface Multipart {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: UploadedFile | null;
}
const FILE = 'file';
/** What a form may have around its file. */
const AROUND = 16_384;

/**
 * Reads a multipart body with at most one `file` of `max` bytes. PAYLOAD_TOO_LARGE and TOO_MANY_REQUESTS, both judged by the head where it
 * tells a length; UNSUPPORTED_MEDIA_TYPE. Of a body that is refused nothing is left.
 */
export async function readMultipart(ctx: Context, max: number, storage: Pick<Storage, 'temporary'>): Promise<Multipart> {
  if (!ctx.is('multipart/form-data')) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  if (Number(ctx.req.headers['content-length'] ?? 0) > max + AROUND) throw new Fault('PAYLOAD_TOO_LARGE');
  uploadsInFlight.admit(ctx, max + AROUND);
  const parser = open(ctx, max);
  const path = await storage.temporary();
  const read = collect(parser, path);
  try {
    await arrival(ctx, parser, read.refusal);
    return { fields: read.fields, file: await read.file() };
  } catch (error) {
    parser.destroy();
    await read.file().catch(() => {});
    await discard({ path });
    // Of a body whose head was admitted the rest is little: a 413 closes the connection, and who is still sending would see that instead of
    // it.
    if (ctx.req.headers['content-length'] !== undefined) await finished(ctx.req, { writable: false }).catch(() => {});
    throw error;
  }
}

/** Deletes a file that has not been stored. */
export const discard = ({ path }: Pick<UploadedFile, 'path'>): Promise<void> => rm(path, { force: true });

/** Until all parts are there, or the first problem. */
async function arrival(ctx: Context, parser: busboy.Busboy, refusal: Promise<never>): Promise<void> {
  const parts = new Promise<void>((resolve, reject) => {
    parser.on('close', resolve);
    parser.on('error', () => reject(invalid('', 'INVALID_BODY', 'The multipart body is broken.')));
    const cut = () => reject(cutOff());
    if (ctx.req.socket.destroyed) cut();
    ctx.req.once('aborted', cut);
    ctx.req.pipe(parser);
  });
  try {
    await Promise.race([parts, refusal]);
  } finally {
    // The rest of a refused body is read and dropped, so that the client gets the response.
    ctx.req.unpipe(parser);
    ctx.req.resume();
  }
}

/** Collects the fields, writes the file, and rejects `refusal` with the first problem. */
function collect(parser: busboy.Busboy, path: string) {
  const fields = Object.create(null) as Record<string, string>;
  let file: Promise<UploadedFile> | null = null;
  const { promise: refusal, reject: refuse } = Promise.withResolvers<never>();
  refusal.catch(() => {});
  // Against its types, busboy also emits parts without a name.
  const unnamed = () => refuse(invalid('', 'INVALID_BODY', 'A part has no name.'));
  parser.on('field', (name: string | undefined, value) => {
    if (name === undefined) unnamed();
    else fields[name] = value;
  });
  parser.on('file', (name: string | undefined, stream) => {
    if (name === undefined) unnamed();
    else if (name !== FILE) refuse(invalid(name, 'UNKNOWN_FIELD', 'The file goes into the field file.'));
    stream.on('limit', () => refuse(new Fault('PAYLOAD_TOO_LARGE')));
    file = write(stream, path);
    // A body that ends too early is told by the form, a disk that is full by nobody else.
    file.catch((error: NodeJS.ErrnoException) => error.syscall !== undefined && refuse(error));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(invalid(FILE, 'TOO_MANY', 'One file, and the fields that are documented.')));
  return { fields, refusal, file: async () => file };
}

async function write(stream: Readable, path: string): Promise<UploadedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  await pipeline(stream, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { path, size, sha256: hash.digest() };
}

function open(ctx: Context, max: number) {
  try {
    return busboy({ headers: ctx.req.headers, limits: { files: 1, fileSize: max + 1, fields: 5, fieldSize: 1000, parts: 10 } });
  } catch {
    throw invalid('', 'INVALID_BODY', 'The multipart body is broken.');
  }
}
