/** Examples that are put together, for operations that were not recorded yet. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { composed, exampleOf, recorded } from '../../../api/documents/examples.ts';
import { closed, Type } from '../../../api/declare/schema.ts';
import { checker } from '../../../api/validation/validate.ts';

test.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s: were it not recorded, its example would fit',
  (id, endpoint) => {
    const { [id]: _, ...others } = recorded;
    const { request, response } = composed(endpoint, others);
    expect((request !== undefined) === (endpoint.body !== undefined)).toBe(true);
    if (endpoint.body) expect([request, checker(endpoint.body, 'json')(request)]).toEqual([request, []]);
    if (endpoint.data) expect([response, checker(endpoint.data, 'json')(response)]).toEqual([response, []]);
  },
);

test('what was recorded is shown, and a field is what its own examples say, then what its feature shows under its name', () => {
  const data = closed({ name: Type.String(), depth: Type.Integer(), label: Type.String({ examples: ['겨울'] }), size: Type.Boolean() });
  expect(exampleOf({ id: 'categories.get' })).toBe(recorded['categories.get']);
  expect(exampleOf({ id: 'categories.label', data }).response).toEqual({
    name: (recorded['categories.create']!.response as { name: string }).name,
    depth: 1,
    label: '겨울',
    size: false,
  });
});
