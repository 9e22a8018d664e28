/** Both documents, judged by two validators that share no code. */
import { endpoints } from '../../../api/endpoints.ts';
import { describe, expect, test } from '@jest/globals';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { call, get } from '../../../bin/dev/client.ts';
import { underTest } from '../../kernel/world.ts';

describe.each(['store', 'storefront'])('/openapi/%s.json', (surface) => {
  const read = async () => (await call(underTest.api, 'GET', `/openapi/${surface}.json`)).body as unknown as Record<string, unknown>;
  test('is valid to swagger-parser, references included', async () => {
    await expect(SwaggerParser.validate((await read()) as never)).resolves.toBeDefined();
  });
  test('is valid to openapi-schema-validator', async () => {
    expect(await new Validator().validate(await read())).toEqual({ valid: true });
  });
  test('shows an example of every request and every success', async () => {
    const { paths } = (await read()) as { paths: Record<string, Record<string, Operation>> };
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      const { requestBody, responses } = operation;
      if (requestBody) expect(Object.values(requestBody.content)[0]!.example).toBeDefined();
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1].content;
      // What was replaced altogether is answered to nobody any more.
      const picture = success['image/svg+xml'];
      if (picture) expect(picture.example).toMatch(/^<svg /);
      else if (!operation.deprecated) expect(success['application/json']!.example).toMatchObject({ meta: { isSuccess: true } });
    }
  });
  test('every operation is documented in full', async () => {
    const { paths, components } = (await read()) as unknown as Document;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { operationId, responses, parameters, security, ...operation } of operations) {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const type = endpoints.find(({ id }) => id === operationId)?.image ?? 'application/json';
      expect([operationId, successes.length, successes[0]?.[1].content[type]?.schema]).toEqual([
        operationId,
        endpoints.find(({ id }) => id === operationId)?.statusWhenThere ? 2 : 1,
        expect.anything(),
      ]);
      expect([operationId, operation['x-required-scopes']]).toEqual([operationId, expect.any(Array)]);
      const isPublic = operationId === 'payments.status' || operationId === 'payments.retry';
      const code = parameters.find(({ name }) => name === 'X-Store-Code');
      expect([operationId, code?.in, code?.required]).toEqual(
        surface === 'store' ? [operationId, undefined, undefined] : [operationId, 'header', !isPublic],
      );
      for (const name of security.flatMap((way) => Object.keys(way))) expect(Object.keys(components.securitySchemes)).toContain(name);
    }
    expect(Object.values(components.securitySchemes).map(({ name }) => name)).not.toContain('X-Store-Code');
  });
  test('every operation stands in a chapter', async () => {
    const { paths, tags } = (await read()) as unknown as Document;
    const used = Object.values(paths).flatMap((path) => Object.values(path).flatMap((operation) => operation.tags));
    expect(tags.map(({ name }) => name).toSorted()).toEqual([...new Set(used)].toSorted());
    for (const { description } of tags) expect(description.length).toBeGreaterThan(20);
  });
});
interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, { readonly name?: string }>> };
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly 'x-required-scopes'?: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly deprecated?: boolean;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Content {
  readonly content: Readonly<Record<string, { readonly example?: unknown; readonly schema?: unknown }>>;
}

test('old addresses lead to the new ones', async () => {
  for (const [from, status, to] of [
    ['/openapi.json', 308, '/openapi/store.json'],
    ['/openapi.yaml', 308, '/openapi/store.yaml'],
    ['/v1/openapi.json', 308, '/openapi/store.json'],
    ['/v1/openapi.yaml', 308, '/openapi/store.yaml'],
    ['/storefront/v1/openapi.json', 308, '/openapi/storefront.json'],
    ['/storefront/v1/openapi.yaml', 308, '/openapi/storefront.yaml'],
    ['/api-docs', 301, '/docs'],
  ] as const) {
    const { status: actual, location } = await get(underTest.api + from);
    expect([from, actual, location?.pathname]).toEqual([from, status, to]);
  }
});

test.each(['json', 'yaml'])('a document that a client has already is not sent again: %s', async (form) => {
  const path = `${underTest.api}/openapi/store.${form}`;
  const first = await fetch(path);
  expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  const again = await fetch(path, { headers: { 'if-none-match': first.headers.get('etag')!, 'cache-control': 'max-age=0' } });
  expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
});

test('/docs is served from the package: nothing is fetched from elsewhere', async () => {
  const page = await get(`${underTest.api}/docs`);
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source!);
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([]);
  for (const source of sources.filter((one) => one.startsWith('/docs/'))) {
    const asset = await fetch(underTest.api + source);
    expect([source, asset.status]).toEqual([source, 200]);
    await asset.arrayBuffer();
  }
  expect(sources.length).toBeGreaterThan(3);
});
