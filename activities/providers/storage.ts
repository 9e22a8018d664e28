/** Uploaded files, by key: in a folder, or in an S3 bucket. A file is written once and never changed. */
import { resolve } from 'node:path';
import { Disk, errors } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { StorageConfig } from '../../db/kernel/config.ts';

export interface Storage {
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The file, or null when there is none. */
  get(key: string): Promise<Uint8Array | null>;
}

export async function createStorage(config: StorageConfig): Promise<Storage> {
  const disk = new Disk(await driver(config));
  return {
    put: (key, bytes, contentType) => disk.put(key, bytes, { contentType }),
    async get(key) {
      try {
        return await disk.getBytes(key);
      } catch (error) {
        if (error instanceof errors.E_CANNOT_READ_FILE && isMissing(error.cause)) return null;
        throw error;
      }
    },
  };
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
