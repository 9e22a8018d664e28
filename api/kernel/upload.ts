/** Multipart bodies: text fields and one file, read as it streams in, never longer than it may be. */
import { createHash } from 'node:crypto';
import busboy from 'busboy';
import type { Context } from 'koa';
import { Fault, invalid } from '../../workflows/kernel/errors.ts';

export interface UploadedFile {
  readonly bytes: Buffer;
  readonly sha256: Buffer;
}
export interface Multipart {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: UploadedFile | null;
}
const FILE = 'file';

/** Reads a multipart body with at most one `file` of `most` bytes. PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE. */
export async function readMultipart(ctx: Context, most: number): Promise<Multipart> {
  if (!ctx.is('multipart/form-data')) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  // What cannot fit is refused before it is read.
  if (Number(ctx.req.headers['content-length'] ?? 0) > most + 16_384) throw new Fault('PAYLOAD_TOO_LARGE');
  const fields: Record<string, string> = {};
  const chunks: Buffer[] = [];
  let isThere = false;
  let refused: Fault | null = null;
  const parser = open(ctx, most);
  parser.on('field', (name, value) => void (fields[name] = value));
  parser.on('file', (name, stream) => {
    if (name !== FILE) refused ??= invalid(name, 'UNKNOWN_FIELD', 'The file goes into the field file.');
    isThere = true;
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('limit', () => (refused ??= new Fault('PAYLOAD_TOO_LARGE')));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => (refused ??= invalid(FILE, 'TOO_MANY', 'One file, and the fields that are documented.')));
  await new Promise<void>((resolve, reject) => {
    parser.on('close', resolve);
    parser.on('error', () => reject(invalid('', 'INVALID_BODY', 'The multipart body is broken.')));
    ctx.req.on('aborted', () => reject(invalid('', 'INVALID_BODY', 'The body could not be read to its end.')));
    ctx.req.pipe(parser);
  });
  if (refused) throw refused as Fault;
  const bytes = Buffer.concat(chunks);
  return { fields, file: isThere ? { bytes, sha256: createHash('sha256').update(bytes).digest() } : null };
}

function open(ctx: Context, most: number) {
  try {
    return busboy({ headers: ctx.req.headers, limits: { files: 1, fileSize: most, fields: 5, fieldSize: 1000, parts: 10 } });
  } catch {
    throw invalid('', 'INVALID_BODY', 'The multipart body is broken.');
  }
}
