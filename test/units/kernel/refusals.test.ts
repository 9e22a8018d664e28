/** How a request is refused: sizes before contents, a hundred problems at most, and no work for what is refused. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpoints } from '../../../api/endpoints.ts';
import { refusal } from '../../../api/web/envelope.ts';
import { closed, Day, nullable, Type } from '../../../api/declare/schema.ts';
import { createValidator } from '../../../api/validation/validate.ts';
import { optionProblems } from '../../../domain/products/options.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { isHost } from '../../../domain/kernel/hosts.ts';
import type { Shape } from '../../../api/validation/sizes.ts';

/** A pattern that lets through no more than so many characters and has no repetition inside another. */
const isBounded = ({ pattern }: Shape) => pattern !== undefined && /^\^[^*+]*\$$/.test(pattern);

/** What of a schema does not say its size, apart from what lies below it. */
const ofNoSize: Readonly<Record<string, (shape: Shape) => string | false>> = {
  string: (shape) => shape.maxLength === undefined && !isBounded(shape) && 'a text of any length',
  array: ({ maxItems }) => maxItems === undefined && 'a list of any length',
  object: ({ additionalProperties, patternProperties, maxProperties }) =>
    (additionalProperties !== false || (patternProperties !== undefined && maxProperties === undefined)) && 'any number of fields',
  integer: () => false,
  number: () => false,
  boolean: () => false,
  null: () => false,
};
/** Of a tagged object, too: one of a known tag is one of the alternatives; of any other, only the tag is judged. */
const branchesOf = ({ anyOf, discriminator, oneOf }: Shape): readonly Shape[] => anyOf ?? (discriminator && oneOf) ?? [];
function* unsized(shape: Shape, path: string): Generator<string> {
  const types = (shape.anyOf ?? []).map((branch) => (branch.enum ? 'enum' : branch.type));
  if (new Set(types).size < types.length) yield `${path}: two branches of a type`;
  for (const branch of branchesOf(shape)) yield* unsized(branch, path);
  if (branchesOf(shape).length > 0 || shape.enum || shape.const !== undefined) return;
  const problem = ofNoSize[shape.type ?? '']?.(shape) ?? 'of no type';
  if (problem) yield `${path}: ${problem}`;
  if (shape.items) yield* unsized(shape.items, `${path}[]`);
  for (const [name, field] of Object.entries({ ...shape.properties, ...shape.patternProperties })) yield* unsized(field, `${path}.${name}`);
}

test('every body tells the size of each list, text and object in it', () => {
  const strays = endpoints.flatMap(({ id, body }) => (body ? [...unsized(body as Shape, id)] : []));
  // A day is told by its format; its pattern looks at the year.
  const isDay = (stray: string) => /(Date|from|to|checkIn|checkOut): a text/.test(stray);
  // What a form or a flow asks for is any JSON: the limit of the whole body bounds it.
  const isAny = (stray: string) => /\.(input|data|option)\.\^\.\*\$: of no type$/.test(stray);
  expect(strays.filter((stray) => !isDay(stray) && !isAny(stray))).toEqual([]);
});

const List = closed({
  items: Type.Array(closed({ quantity: Type.Integer({ minimum: 1 }), name: Type.Optional(Type.String({ maxLength: 5, pattern: '^x' })) }), {
    maxItems: 150,
  }),
  day: Type.Optional(nullable(Day)),
});
const validate = createValidator(List, 'json');
const problemsOf = (value: unknown) => validate(value).fieldErrors.map(({ field, code }) => `${field} ${code}`);
const bytes = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(refusal(new Fault('VALIDATION_FAILED', { fieldErrors: validate(value).fieldErrors })).error));
const shown = (value: unknown) =>
  refusal(new Fault('VALIDATION_FAILED', { fieldErrors: validate(value).fieldErrors })).error.fieldErrors as object[];

describe('sizes come before contents', () => {
  test('a list that is too long is one problem, its items are not judged', () => {
    expect(problemsOf({ items: Array.from({ length: 151 }, () => 'x') })).toEqual(['items TOO_MANY']);
    expect(problemsOf({ items: Array.from({ length: 130_000 }, () => 1) })).toEqual(['items TOO_MANY']);
  });
  test('a text that is too long is not judged by its pattern; characters are counted, not code units', () => {
    expect(problemsOf({ items: [{ quantity: 1, name: 'a'.repeat(250_000) }] })).toEqual(['items[0].name TOO_LONG']);
    expect(problemsOf({ items: [{ quantity: 1, name: 'x🙂🙂🙂🙂' }] })).toEqual([]);
    expect(problemsOf({ items: [{ quantity: 1, name: 'x🙂🙂🙂🙂🙂' }] })).toEqual(['items[0].name TOO_LONG']);
  });
  test('what lies deeper than 20 levels is told, however deep it goes on', () => {
    const nested = (depth: number) => JSON.parse(`{"items":[],"zz":${'['.repeat(depth)}${']'.repeat(depth)}}`) as unknown;
    expect(problemsOf(nested(20))).toEqual(['zz UNKNOWN_FIELD']);
    expect(problemsOf(nested(21))).toEqual(['zz UNKNOWN_FIELD', `zz${'[0]'.repeat(20)} TOO_DEEP`]);
    expect(problemsOf(nested(100_000))).toHaveLength(2);
  });
  test('fields that nobody knows are told, a hundred of them', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`zz${i}`, 1]));
    expect(problemsOf({ ...many, items: [] })).toEqual(Array.from({ length: 100 }, (_, i) => `zz${i} UNKNOWN_FIELD`));
  });
  test.each(['{"__proto__":{"items":[]}}', '{"constructor":1,"items":[]}', '{"items":[],"toString":{"__proto__":1}}'])(
    '%s: names of every object are fields like others',
    (text) =>
      expect(problemsOf(JSON.parse(text))).toContainEqual(expect.stringMatching(/^(__proto__|constructor|toString) UNKNOWN_FIELD$/)),
  );
  test.each(['1e999', '-1e999', '1.5', '"1"'])('%s is no whole number', (text) =>
    expect(problemsOf(JSON.parse(`{"items":[{"quantity":${text}}]}`))).toEqual(['items[0].quantity INVALID_TYPE']),
  );
  test.each([
    ['1899-12-31', 'INVALID'],
    ['9999-01-01', 'INVALID'],
    ['0000-01-01', 'INVALID'],
    ['2026-02-30', 'INVALID'],
    ['+12026-01-01', 'INVALID'],
  ])('%s is no day of ours', (day, code) => expect(problemsOf({ items: [], day })).toEqual([`day ${code}`]));
  test.each(['1900-01-01', '9998-12-31', '2024-02-29', null])('%s is', (day) => expect(problemsOf({ items: [], day })).toEqual([]));
});

describe('a refusal is bounded', () => {
  test('a hundred problems at most, the first ones, in the order of the request', () => {
    const items = Array.from({ length: 150 }, (_, i) => [{ quantity: 0 }, {}, { quantity: 'x' }][i % 3]);
    expect(problemsOf({ items })).toEqual(
      items.slice(0, 100).map((_, i) => `items[${i}].quantity ${['OUT_OF_RANGE', 'REQUIRED', 'INVALID_TYPE'][i % 3]}`),
    );
    expect(problemsOf({ zz: 1, items: [{ name: 'y', quantity: '1' }, { quantity: 0 }], day: 1 })).toEqual([
      'zz UNKNOWN_FIELD',
      'items[0].name INVALID',
      'items[0].quantity INVALID_TYPE',
      'items[1].quantity OUT_OF_RANGE',
      'day INVALID_TYPE',
    ]);
  });
  test.each([
    ['long names', (i: number) => `${i}${'k'.repeat(2000)}`],
    ['names of control characters', (i: number) => `${i}${'\u0001'.repeat(500)}`],
    ['names that JSON escapes', (i: number) => `${i}${'"'.repeat(500)}`],
    ['names in hangul', (i: number) => `${i}${'가'.repeat(500)}`],
    ['names of broken text', (i: number) => `${i}${'\ud800'.repeat(500)}`],
  ])('never more than 64 kB, a field never longer than 200: %s', (_, name) => {
    const body = Object.fromEntries(Array.from({ length: 120 }, (__, i) => [name(i), 1]));
    expect(bytes(body)).toBeLessThan(64_000);
    const fields = shown(body) as { field: string }[];
    expect(fields.length).toBeGreaterThan(40);
    expect(Math.max(...fields.map(({ field }) => field.length))).toBe(200);
  });
  test('whatever is sent', () => {
    const schema = createValidator(endpoints.find(({ id }) => id === 'products.create')!.body!, 'json');
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.json({ maxDepth: 50 })), (text) => {
        expect(schema(JSON.parse(text)).fieldErrors.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('a check of our own', () => {
  test('meets nothing that the schema refuses: the field is there and undefined, an item keeps its place', () => {
    expect(validate({ items: [{ quantity: 0 }, { quantity: 2, name: 'xy' }, 1], day: 5, zz: 1 }).fitting).toEqual({
      items: [{ quantity: undefined }, { quantity: 2, name: 'xy' }, undefined],
      day: undefined,
    });
    expect(Object.keys(validate({ items: [], day: 5 }).fitting as object)).toEqual(['items', 'day']);
    expect(validate([]).fitting).toBeUndefined();
  });
  test('builds no combination of a model that is refused, and none beyond 500', () => {
    // Reading a value twice would be building: each axis is read once for doubles, once for its size.
    const reads = { count: 0 };
    const axis = (name: string) => {
      const values = Array.from({ length: 100 }, (_, i) => `v${i}`);
      return { name, values: new Proxy(values, { get: (target, key) => (reads.count++, Reflect.get(target, key) as unknown) }) };
    };
    for (const last of [{ name: 'z', values: [] }, { name: 'z' }, undefined, { name: 'z', values: ['a', undefined] }, axis('z')]) {
      reads.count = 0;
      optionProblems({ optionGroups: [axis('a'), axis('b'), last] });
      expect(reads.count).toBeLessThan(2500);
    }
  });
  test('of any operation judges any body without failing', async () => {
    const deps = { config: { publicUrl: 'http://localhost' }, egress: { screen: async () => null } };
    for (const { id, body, check } of endpoints.filter((endpoint) => endpoint.check && endpoint.body)) {
      const schema = createValidator(body!, 'json');
      await fc
        .assert(
          fc.asyncProperty(arbitraryOf(body as Shape), async (sent) => {
            const { fitting } = schema(sent);
            if (fitting) expect(Array.isArray(await check!(fitting, deps as never, { at: 0 } as never))).toBe(true);
          }),
          { numRuns: 150 },
        )
        .catch((error: unknown) => {
          throw new Error(`${id}: ${String(error)}`);
        });
    }
  });
});

/** Values of a schema's shape, now and then of another. */
function arbitraryOf(shape: Shape): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(null), fc.constant(''), fc.constant(-1));
  const fit = (): fc.Arbitrary<unknown> => {
    if (shape.anyOf) return fc.oneof(...shape.anyOf.map(arbitraryOf));
    if (shape.enum) return fc.constantFrom(...shape.enum);
    if (shape.type === 'array') return fc.array(arbitraryOf(shape.items!), { maxLength: 5 });
    if (shape.type === 'integer') return fc.integer({ min: -1, max: 100 });
    if (shape.type === 'boolean') return fc.boolean();
    if (shape.type === 'object')
      return fc.record(Object.fromEntries(Object.entries(shape.properties ?? {}).map(([name, field]) => [name, arbitraryOf(field)])), {
        requiredKeys: [],
      });
    return fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('2026-01-01', '2026-01-05', 'https://a.example', 'CJ', '12'));
  };
  return fc.oneof({ weight: 6, arbitrary: fit() }, { weight: 1, arbitrary: odd });
}

describe('host names', () => {
  test.each(['example.com', 'a-b.example', 'xn--3e0b707e.kr', '127.0.0.1', '[::1]', '[::ffff:7f00:1]', 'localhost', 'example.com.'])(
    '%s is one',
    (host) => expect(isHost(host)).toBe(true),
  );
  test.each([
    "a'b.example",
    'a;b',
    'a,b',
    'a!b',
    'a*b',
    'a~b',
    'a(b)',
    'a=b',
    'a&b',
    'a$b',
    'a..b',
    '.',
    '',
    'a%2fb',
    `${'a'.repeat(64)}.b`,
    `${'a.'.repeat(127)}b`,
  ])('%s is none', (host) => expect(isHost(host)).toBe(false));
  test('an underscore only where a receiver is named', () =>
    expect([isHost('a_b.example'), isHost('a_b.example', { underscore: true })]).toEqual([false, true]));
});
