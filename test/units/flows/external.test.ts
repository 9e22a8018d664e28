/** What an external node sends, and what of its answer is kept. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answerData, externalRequest } from '../../../domain/flows/run/external.ts';
import type { ExternalNode } from '../../../domain/flows/graph/graph.ts';
import { renderText } from '../../../domain/flows/graph/templates.ts';

const node = (path: string, body?: ExternalNode['body']): ExternalNode => ({
  id: 'n',
  type: 'external',
  status: 'PAID',
  secret: 's',
  method: 'PUT',
  path,
  timeoutSeconds: 7,
  ...(body && { body }),
});
const values = (inputs: Readonly<Record<string, unknown>>) => ({ inputs, data: {}, item: { activeQuantity: 3 }, fulfillment: {} });
const BASE = 'https://example.com/v1';

test('the path is appended to the address, and a lone placeholder sends the value itself', () => {
  const request = externalRequest(
    node('/a?b={{inputs.t}}', { n: '{{item.activeQuantity}}', t: 'x{{inputs.t}}', o: '{{inputs.no}}' }),
    `${BASE}/`,
    values({ t: 'ㄱ&c=/' }),
  );
  expect(request).toEqual({
    method: 'PUT',
    url: `${BASE}/a?b=%E3%84%B1%26c%3D%2F`,
    body: JSON.stringify({ n: 3, t: 'xㄱ&c=/', o: '' }),
    timeoutSeconds: 7,
  });
  expect(externalRequest(node('/a'), BASE, values({}))?.body).toBe('{}');
});
test.each(['..', '.', '%2e%2e', '\\..'])('a value does not lead to another path: %s', (t) => {
  const request = externalRequest(node('/a/{{inputs.t}}/b'), BASE, values({ t }));
  expect(request === null || new URL(request.url).pathname === `/v1/a/${encodeURIComponent(t)}/b`).toBe(true);
});
test('whatever a value is, the request goes to the address and path of its node', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (t) => {
      const request = externalRequest(node('/a/{{inputs.t}}/b'), BASE, values({ t }));
      if (request === null) return;
      const { origin, pathname, search, hash } = new URL(request.url);
      expect([origin, search, hash]).toEqual(['https://example.com', '', '']);
      expect(pathname).toMatch(/^\/v1\/a\/[^/]*\/b$/);
    }),
  );
});

test('a short template that names a long value many times makes no long request, and none that is cut', () => {
  const long = { inputs: {}, data: { a: 'x'.repeat(64 * 1024) }, item: {}, fulfillment: {} };
  const often = '{{data.a}}'.repeat(200);
  expect(externalRequest(node('/a', { t: often }), BASE, long)).toBeNull();
  const lone = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, '{{data.a}}']));
  expect(externalRequest(node('/a', lone), BASE, long)).toBeNull();
  expect(externalRequest(node('/{{data.a}}'), BASE, long)).toBeNull();
  expect(externalRequest(node('/a', { t: 'x{{data.a}}' }), BASE, long)?.body).toHaveLength('{"t":"x"}'.length + 64 * 1024);
});
test('a text is cut where it is as long as it may be, and stays well-formed', () => {
  expect(renderText('a{{inputs.t}}b{{inputs.t}}', values({ t: 'xy' }), { max: 99 })).toBe('axybxy');
  expect(renderText('a{{inputs.t}}b{{inputs.t}}', values({ t: 'xy' }), { max: 4 })).toBe('axyb');
  expect(renderText('{{inputs.t}}', values({ t: '😀😀' }), { max: 3 })).toBe('😀\uFFFD');
});

describe('an answer', () => {
  test('that is a JSON object becomes data that Postgres can keep', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.string({ unit: 'binary' }), (inner, text) => {
        const data = answerData(`{"a":${inner},"t":${JSON.stringify(text)}}`);
        const stored = JSON.stringify(data);
        expect(stored).not.toMatch(/\\u0000|\\ud[89a-f][0-9a-f]{2}/i);
      }),
    );
  });
  test('keeps a field called __proto__ a field', () => {
    const data = answerData('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(JSON.stringify(data)).toBe('{"__proto__":{"polluted":true}}');
  });
  test.each(['', '[]', '1', '"a"', 'null', '{', `{"a":1e21}`, `{"a":1e-22}`, `{"a":[1e400]}`])('%s is no data block', (body) =>
    expect(answerData(body)).toBeNull(),
  );
});
