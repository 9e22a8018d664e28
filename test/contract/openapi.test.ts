/** Both documents, judged by two validators that share no code. */
import { describe, expect, test } from '@jest/globals';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { call, get } from '../kernel/http.ts';
import { underTest } from '../kernel/world.ts';

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
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      // What was replaced altogether has only refusals left.
      if (!success) expect(operation.deprecated).toBe(true);
      else expect(success.content['application/json']!.example).toMatchObject({ meta: { isSuccess: true } });
    }
  });
});
interface Operation {
  readonly deprecated?: boolean;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Content {
  readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
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
    const { status: told, location } = await get(underTest.api + from);
    expect([from, told, location?.pathname]).toEqual([from, status, to]);
  }
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
