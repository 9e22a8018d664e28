/**
 * Uploaded files, by key: in a folder, or in an S3 bucket. A file is written once and never changed. What arrives is written to a temporary
 * file of this machine first, beside the folder's files or in the system's place for temporary ones: a bucket wants to know a file's
 * length.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Disk, errors } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { StorageConfig } from '../../db/kernel/config.ts';

export interface Storage {
  /** The path of a temporary file that is not there yet. */
  temporary(): Promise<string>;
  /** Deletes temporary files that a process left behind, last written before this (real time); returns how many. */
  sweepTemporary(before: number): Promise<number>;
  /** Stores a file of this machine under its key, from where it was. */
  putFile(key: string, path: string, contentType: string): Promise<void>;
  /** The file, or null when there is none. */
  get(key: string): Promise<Uint8Array | null>;
  /** A file that is read piece by piece, or null when there is none. Nothing is opened before `read`. */
  find(key: string): Promise<{ readonly bytes: number; readonly read: () => Promise<Readable> } | null>;
  /** Deletes a file; one that is not there is deleted already. */
  remove(key: string): Promise<void>;
  /** Keys of some files, from a place on (null: the first), and the place of the next ones, or null at the end. */
  list(cursor: string | null): Promise<{ readonly keys: readonly string[]; readonly next: string | null }>;
  /** When a file was written (real time), or null when there is none. */
  changedAt(key: string): Promise<number | null>;
}

export async function createStorage(config: StorageConfig): Promise<Storage> {
  const disk = new Disk(await driver(config));
  const metadataOf = async (key: string) => {
    try {
      return await disk.getMetaData(key);
    } catch (error) {
      if (error instanceof errors.E_CANNOT_GET_METADATA && isMissing(error.cause)) return null;
      throw error;
    }
  };
  const arriving = config.kind === 'files' ? resolve(config.folder, 'arriving') : join(tmpdir(), 'sangjeom-arriving');
  return {
    async temporary() {
      await mkdir(arriving, { recursive: true, mode: 0o700 });
      return join(arriving, randomUUID());
    },
    sweepTemporary: (before) => sweepFolder(arriving, before),
    putFile: async (key, path, contentType) => disk.moveFromFs(path, key, { contentType, contentLength: (await stat(path)).size }),
    async get(key) {
      try {
        return await disk.getBytes(key);
      } catch (error) {
        if (error instanceof errors.E_CANNOT_READ_FILE && isMissing(error.cause)) return null;
        throw error;
      }
    },
    async find(key) {
      const found = await metadataOf(key);
      return found && { bytes: found.contentLength, read: () => disk.getStream(key) };
    },
    async remove(key) {
      await disk.delete(key);
    },
    list: (cursor) => (config.kind === 'files' ? listFolder(disk, cursor) : listBucket(disk, cursor)),
    changedAt: async (key) => (await metadataOf(key))?.lastModified.getTime() ?? null,
  };
}

async function sweepFolder(folder: string, before: number): Promise<number> {
  let swept = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (!found || found.mtimeMs >= before) continue;
    await rm(path, { force: true });
    swept++;
  }
  return swept;
}

const ALL = 'uploads';

/** A store's folder at a time. */
async function listFolder(disk: Disk, cursor: string | null) {
  const entries = async (prefix: string) => [...(await disk.listAll(prefix).catch(none)).objects];
  const stores = (await entries(ALL)).flatMap((entry) => (entry.isDirectory ? [entry.prefix.slice(ALL.length + 1)] : []));
  const next = stores.toSorted().find((store) => cursor === null || store > cursor);
  if (next === undefined) return { keys: [], next: null };
  return { keys: (await entries(`${ALL}/${next}`)).flatMap((entry) => (entry.isFile ? [entry.key] : [])), next };
}
/** Nothing was uploaded yet: there is no folder. */
const none = (error: unknown) => {
  if (isMissing((error as Error).cause ?? error)) return { objects: [] };
  throw error;
};

async function listBucket(disk: Disk, cursor: string | null) {
  const { objects, paginationToken } = await disk.listAll(`${ALL}/`, {
    recursive: true,
    ...(cursor !== null && { paginationToken: cursor }),
  });
  return { keys: [...objects].flatMap((entry) => (entry.isFile ? [entry.key] : [])), next: paginationToken ?? null };
}

const isMissing = (cause: unknown): boolean => {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  return code === 'ENOENT' || name === 'NoSuchKey' || name === 'NotFound';
};

/** The S3 client is large: it is loaded where it is used. */
async function driver(config: StorageConfig) {
  if (config.kind === 'files') return new FSDriver({ location: resolve(config.folder), visibility: 'private' });
  const { S3Driver } = await import('flydrive/drivers/s3');
  const { accessKeyId, secretAccessKey, region, bucket, endpoint } = config;
  return new S3Driver({
    bucket,
    region,
    credentials: { accessKeyId, secretAccessKey },
    visibility: 'private',
    supportsACL: false,
    // Servers that speak S3 beside Amazon's own keep buckets in the path.
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
  });
}
