/** Multipart bodies: text fields and one file, streamed, with a limit of its size. */
import { createHash } from 'node:crypto';
import busboy from 'busboy';
import type { Context } from 'koa';
import { Fault, invalid } from '../../domain/kernel/errors.ts';

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
export async function readMultipart(ctx: Context, max: number): Promise<Multipart> {
  if (!ctx.is('multipart/form-data')) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  // A body whose Content-Length is too large is refused without being read.
  if (Number(ctx.req.headers['content-length'] ?? 0) > max + 16_384) throw new Fault('PAYLOAD_TOO_LARGE');
  const parser = open(ctx, max);
  const read = collect(parser, max);
  const cut = invalid('', 'INVALID_BODY', 'The body could not be read to its end.');
  try {
    await new Promise<void>((resolve, reject) => {
      parser.on('close', resolve);
      parser.on('error', () => reject(invalid('', 'INVALID_BODY', 'The multipart body is broken.')));
      ctx.req.once('aborted', () => reject(cut));
      ctx.req.pipe(parser);
    });
  } finally {
    // The rest of a refused body is drained, so that the client gets the response.
    ctx.req.unpipe(parser);
    ctx.req.resume();
  }
  if (read.refused) throw read.refused;
  const bytes = Buffer.concat(read.chunks);
  return { fields: read.fields, file: read.isThere ? { bytes, sha256: createHash('sha256').update(bytes).digest() } : null };
}

/** Collects the parts and the first problem. */
function collect(parser: busboy.Busboy, max: number) {
  const read = {
    fields: Object.create(null) as Record<string, string>,
    chunks: [] as Buffer[],
    isThere: false,
    size: 0,
    refused: null as Fault | null,
  };
  // Against its types, busboy also emits parts without a name.
  const unnamed = () => (read.refused ??= invalid('', 'INVALID_BODY', 'A part has no name.'));
  parser.on('field', (name: string | undefined, value) => {
    if (name === undefined) unnamed();
    else read.fields[name] = value;
  });
  parser.on('file', (name: string | undefined, stream) => {
    if (name === undefined) unnamed();
    else if (name !== FILE) read.refused ??= invalid(name, 'UNKNOWN_FIELD', 'The file goes into the field file.');
    read.isThere = true;
    stream.on('data', (chunk: Buffer) => {
      read.size += chunk.length;
      if (read.size > max) read.refused ??= new Fault('PAYLOAD_TOO_LARGE');
      else read.chunks.push(chunk);
    });
    // A truncated body emits an error for the file and one for the form, which is the one that is reported.
    stream.on('error', () => {});
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => (read.refused ??= invalid(FILE, 'TOO_MANY', 'One file, and the fields that are documented.')));
  return read;
}

function open(ctx: Context, max: number) {
  try {
    return busboy({ headers: ctx.req.headers, limits: { files: 1, fileSize: max + 1, fields: 5, fieldSize: 1000, parts: 10 } });
  } catch {
    throw invalid('', 'INVALID_BODY', 'The multipart body is broken.');
  }
}
