/** What the bytes of a body tell before it is parsed. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import { MAX_FIELDS, MAX_LEVELS, outgrown } from '../../../api/validation/scan.ts';
import type { Shape } from '../../../api/validation/sizes.ts';

const findingOf = (text: string) => {
  const problem = outgrown(Buffer.from(text));
  return problem && `${problem.field} ${problem.code}`;
};
const fields = (n: number) => `{${Array.from({ length: n }, (_, i) => `"f${i}":0`).join()}}`;
const long = 'x'.repeat(6000);

describe('an object of more than a thousand fields', () => {
  test('is told by its path, wherever it is', () => {
    expect(findingOf(fields(MAX_FIELDS + 1))).toBe(' TOO_MANY');
    expect(findingOf(`{"items":[1,"],",{"a":{}},{"b":1,"c,\\"{":${fields(1001)}}]}`)).toBe(String.raw`items[3].c,\"{ TOO_MANY`);
    expect(findingOf(`[{"long":"${long}"},[],[[${fields(30_000)}]]]`)).toBe('[2][0][0] TOO_MANY');
    expect(findingOf(`{${'"a":1,'.repeat(1001)}"a":1}`)).toBe(' TOO_MANY');
  });
  test('is no list, no text and not several objects', () => {
    expect(findingOf(fields(MAX_FIELDS))).toBeNull();
    expect(findingOf(`[${'0,'.repeat(100_000)}0]`)).toBeNull();
    expect(findingOf(JSON.stringify({ text: `${fields(2000)}\\"`, [fields(2000)]: '\\' }))).toBeNull();
    expect(findingOf(`[${Array.from({ length: 20 }, () => fields(900)).join()}]`)).toBeNull();
  });
  test('is none of ours', () => {
    const widest = (shape: Shape): number =>
      Math.max(
        Object.keys(shape.properties ?? {}).length + (shape.patternProperties ? (shape.maxProperties ?? Infinity) : 0),
        ...[
          ...Object.values({ ...shape.properties, ...shape.patternProperties }),
          ...(shape.anyOf ?? []),
          ...(shape.oneOf ?? []),
          ...(shape.items ? [shape.items] : []),
        ].map(widest),
      );
    expect(Math.max(...endpoints.flatMap(({ body }) => (body ? [widest(body as Shape)] : [])))).toBeLessThan(MAX_FIELDS / 2);
  });
});

test('brackets in brackets are told, not the end of them', () => {
  const nested = (depth: number) => `{"zz":${'['.repeat(depth)}"${long}"${']'.repeat(depth)}}`;
  expect(findingOf(nested(MAX_LEVELS - 1))).toBeNull();
  expect(findingOf(nested(MAX_LEVELS))).toBe(`zz${'[0]'.repeat(MAX_LEVELS - 2)} TOO_DEEP`);
  expect(findingOf('['.repeat(130_000))).toContain('TOO_DEEP');
});

test('whatever is sent is scanned to its end, and what JSON lets in passes', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.string(), (json, text) => {
      expect(findingOf(`[${json},"${long}"]`)).toBeNull();
      expect(findingOf(`${json}${text}${long}${text}`)).toBeNull();
    }),
    { seed: 7, numRuns: 500 },
  );
});
