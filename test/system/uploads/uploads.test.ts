/** Images: judged by their bytes, 5 MiB, kept in files or in S3 (docs/contract.md#uploads). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createStorage, type Storage } from '../../../activities/providers/storage.ts';
import { type Headers_, type Reply, token } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
let shop: World;
let seller: Headers_;

beforeAll(async () => {
  shop = await world();
  seller = { authorization: `Bearer ${shop.seller.bearer}` };
});

async function send(path: string, headers: Headers_, parts: readonly (readonly [string, string | Blob])[]): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return read(await fetch(underTest.api + path, { method: 'POST', headers, body: form }));
}
const read = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Reply['body'],
});
const image = (bytes: Uint8Array = PNG, type = 'image/png') => new Blob([Uint8Array.from(bytes)], { type });
const upload = (file: Blob, headers: Headers_ = seller, purpose = 'product-image') =>
  send('/v1/uploads', headers, [
    ['purpose', purpose],
    ['file', file],
  ]);

test('an upload is served at an address of its own', async () => {
  const { status, body } = await upload(image());
  expect([status, body.data]).toMatchObject([201, { contentType: 'image/png', size: PNG.length }]);
  const shown = await fetch(body.data.url as string);
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cache-control': expect.stringContaining('immutable'),
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  const { productId } = await shop.product({ images: [body.data.url as string] });
  expect((await shop.seller.call('GET', `/v1/products/${productId}`)).body.data.images).toEqual([body.data.url]);
  const mine = await send('/storefront/v1/uploads/order-inputs', (await shop.buyer()).headers, [['file', image()]]);
  expect(mine.status).toBe(201);
  const rows = await query('SELECT purpose, size FROM upload WHERE store_id = $1 ORDER BY purpose', [shop.store.storeId]);
  expect(rows).toEqual([
    { purpose: 'order-input', size: PNG.length },
    { purpose: 'product-image', size: PNG.length },
  ]);
});

test('one key uploads one file', async () => {
  const headers = { ...seller, 'idempotency-key': 'u' };
  const first = await upload(image(), headers);
  const again = await upload(image(), headers);
  expect([again.headers.get('idempotent-replayed'), again.body.data.uploadId]).toEqual(['true', first.body.data.uploadId]);
  const other = Buffer.concat([PNG, Buffer.from('x')]);
  expect((await upload(image(other), headers)).body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('each purpose asks for its own scope, and without either the body is not looked at', async () => {
  const answerTo = async (scopes: string, purpose: string) => {
    const headers = { authorization: `Bearer ${await token(underTest.api, shop.store, scopes)}` };
    const { status, body } = await upload(image(), headers, purpose);
    return status === 201 ? 201 : [body.error?.code, body.error?.details];
  };
  const refused = (...required: readonly string[]) => ['INSUFFICIENT_SCOPE', { required }];
  expect(await answerTo('order:rw', 'flow-attachment')).toBe(201);
  expect(await answerTo('order:rw', 'product-image')).toEqual(refused('product:rw'));
  expect(await answerTo('product:rw', 'product-image')).toBe(201);
  expect(await answerTo('product:rw', 'flow-attachment')).toEqual(refused('order:rw'));
  expect(await answerTo('order:rw', 'what')).toMatchObject(['VALIDATION_FAILED']);
  expect(await answerTo('order:r product:r', 'what')).toEqual(refused('order:rw', 'product:rw'));
  const document = (await (await fetch(`${underTest.api}/openapi/store.json`)).json()) as {
    readonly paths: Readonly<Record<string, { readonly post: object }>>;
  };
  expect(document.paths['/v1/uploads']!.post).toMatchObject({
    'x-required-scopes': ['order:rw', 'product:rw'],
    description: expect.stringContaining('One of the scopes'),
  });
});

describe('refused', () => {
  test.each([
    ['an SVG that says it is a PNG', image(SVG)],
    ['a text', image(Buffer.from('hello'))],
    ['a PDF', image(Buffer.from('%PDF-1.7 …'))],
    ['nothing', image(Buffer.alloc(0))],
  ])('%s: INVALID_IMAGE', async (_, file) => expect((await upload(file)).body.error?.code).toBe('INVALID_IMAGE'));

  test('a file has at most 5 MiB', async () => {
    const before = await query('SELECT 1 FROM upload WHERE store_id = $1', [shop.store.storeId]);
    const padded = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
    expect((await upload(image(padded(MAX_BYTES)))).status).toBe(201);
    const large = await upload(image(padded(MAX_BYTES + 1)));
    expect([large.status, large.body.error?.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const huge = await upload(image(padded(MAX_BYTES * 2))).catch(() => null);
    expect([undefined, 413]).toContain(huge?.status);
    expect(await query('SELECT 1 FROM upload WHERE store_id = $1', [shop.store.storeId])).toHaveLength(before.length + 1);
  });

  test('whatever is no such form is refused clearly', async () => {
    const post = async (body: string, type: string) =>
      read(await fetch(`${underTest.api}/v1/uploads`, { method: 'POST', headers: { ...seller, 'content-type': type }, body }));
    expect((await post('{}', 'application/json')).body.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    for (const [body, type] of [
      ['', 'multipart/form-data'],
      ['--x', 'multipart/form-data; boundary=x'],
      ['--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc', 'multipart/form-data; boundary=x'],
      ['\u0000\u0001', 'multipart/form-data; boundary=x'],
      ['--x\r\ncontent-disposition: form-data; filename="a"\r\n\r\nabc\r\n--x--\r\n', 'multipart/form-data; boundary=x'],
      ['--x\r\ncontent-disposition: form-data\r\n\r\nabc\r\n--x--\r\n', 'multipart/form-data; boundary=x'],
    ] as const)
      expect([body, (await post(body, type)).status]).toEqual([body, 400]);
    const parts = (list: readonly (readonly [string, string | Blob])[]) => send('/v1/uploads', seller, list);
    for (const list of [
      [['purpose', 'product-image']],
      [['file', image()]],
      [
        ['purpose', 'what'],
        ['file', image()],
      ],
      [
        ['purpose', 'product-image'],
        ['file', image()],
        ['file', image()],
      ],
      [
        ['purpose', 'product-image'],
        ['other', image()],
      ],
      [
        ['purpose', 'product-image'],
        ['zz', '\u0000'],
        ['file', image()],
      ],
    ] as const)
      expect((await parts(list)).body.error?.code).toBe('VALIDATION_FAILED');
    expect((await upload(image(), {})).status).toBe(401);
    for (const path of [
      '/uploads/x/y.png',
      '/uploads/../../etc/passwd',
      `/uploads/${shop.store.storeId}/..%2f..%2fpg.png`,
      '/uploads/a/b.exe',
    ])
      expect((await fetch(underTest.api + path)).status).toBe(404);
  });
});

describe('the storage', () => {
  const key = 'uploads/s/u.png';
  /** The file is where it belongs, and no longer where it arrived. */
  const put = async (storage: Storage, bytes: Uint8Array) => {
    const path = await storage.temporary();
    writeFileSync(path, bytes);
    await storage.putFile(key, path, 'image/png');
    expect(existsSync(path)).toBe(false);
  };
  test('in files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sangjeom-storage-'));
    const storage = await createStorage({ kind: 'files', folder });
    expect(await storage.get(key)).toBeNull();
    await put(storage, PNG);
    expect(Buffer.from((await storage.get(key))!)).toEqual(PNG);
    rmSync(folder, { recursive: true });
  });
  test('files are stored in a bucket of S3', async () => {
    const objects = new Map<string, Buffer>();
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = new URL(request.url!, 'http://x').pathname;
        seen.push(`${request.method} ${path} ${String(request.headers.authorization).slice(0, 16)}`);
        if (request.method === 'PUT') {
          objects.set(path, Buffer.concat(chunks));
          return response.end();
        }
        const found = objects.get(path);
        if (found) return response.end(found);
        return response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const storage = await createStorage({
      kind: 's3',
      bucket: 'b',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      accessKeyId: 'k',
      secretAccessKey: 's',
    });
    expect(await storage.get(key)).toBeNull();
    // Larger than a chunk of a stream: the bucket is told the length, and gets it in parts.
    const large = Buffer.alloc(300_000, PNG);
    await put(storage, large);
    expect(Buffer.concat([...objects.values()]).includes(PNG)).toBe(true);
    expect((await storage.get(key))!.length).toBeGreaterThanOrEqual(large.length);
    expect(seen).toContain(`PUT /b/${key} AWS4-HMAC-SHA256`);
    server.closeAllConnections();
    server.close();
  });
});
