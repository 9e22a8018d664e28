/** The examples of the OpenAPI documents are true: they fit their schemas, and calling them again answers the same shapes. */
import { expect, test } from '@jest/globals';
import { endpoints as all } from '../../../api/endpoints.ts';
import { exampleOf, recorded } from '../../../api/documents/examples.ts';
import { checker } from '../../../api/validation/validate.ts';
import { world } from '../../kernel/world.ts';
import { walk } from './examples.ts';

/** There are none any more: nobody is ever answered with one. */
const NEVER = 'settlements.get';
/** Pictures have no shape of fields (test/system/flows/pictures.test.ts). */
const endpoints = all.filter(({ id, image }) => id !== NEVER && image === undefined);

test('every example is of an operation, and every operation has one', () => {
  expect(endpoints.filter((endpoint) => exampleOf(endpoint).response === undefined)).toEqual([]);
  const ids = new Set<string>(endpoints.map(({ id }) => id));
  expect(Object.keys(recorded).filter((id) => !ids.has(id))).toEqual([]);
});

test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s: request and answer fit their schemas', (_, endpoint) => {
  const { request, response } = exampleOf(endpoint);
  expect((request !== undefined) === (endpoint.body !== undefined)).toBe(true);
  if (endpoint.body) expect(checker(endpoint.body, 'json')(request)).toEqual([]);
  if (endpoint.data) expect(checker(endpoint.data, 'json')(response)).toEqual([]);
});

/** Names and types, whatever the values. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, shapeOf(inner)]),
  );
};

/** Public, and told for how long. */
const CACHED: Readonly<Record<string, string>> = { 'points.getShownPolicy': 'public, max-age=60' };

test('every operation answers in the shape of its example, and to caches only what is public', async () => {
  const walked = await walk(await world());
  for (const endpoint of endpoints) {
    const { id, status = 200 } = endpoint;
    expect([id, walked[id]?.status]).toEqual([id, status]);
    // What is everybody's may be kept; nothing else is, on the way or in a browser.
    expect([id, walked[id]!.cacheControl]).toEqual([id, CACHED[id] ?? (endpoint.isPublic ? null : 'no-store')]);
    expect([id, shapeOf(walked[id]!.response)]).toEqual([id, shapeOf(exampleOf(endpoint).response)]);
  }
});
