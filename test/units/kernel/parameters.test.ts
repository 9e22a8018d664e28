/** Parameters of lists whose bad values are INVALID_PARAMETER (docs/decisions.md#d54). */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { among, digits, flag, fromTime, named, numeric, parameterProblems, read } from '../../../api/declare/parameters.ts';
import { type TSchema, Type } from '../../../api/declare/schema.ts';

const Query = Type.Object({
  status: named(among(['PAID', 'DONE']), 'status'),
  test: named(flag, 'true or false'),
  from: fromTime(),
  orderNo: named(digits(14), '14 digits'),
  productNo: named(numeric(9), 'a number'),
  keyword: Type.Optional(Type.String()),
});

test('all bad values of a query are told at once, in its order', () => {
  const bad = { status: 'paid', test: 'yes', from: '2026-02-30T00:00:00Z', orderNo: '1', productNo: '1e3', keyword: 'x' };
  expect(parameterProblems(Query, bad).map(({ field, code }) => [field, code])).toEqual(
    ['status', 'test', 'from', 'orderNo', 'productNo'].map((field) => [field, 'INVALID']),
  );
  expect(parameterProblems(Query, { from: '2026-02-30T00:00:00Z' })).toHaveLength(1);
});

test('good values are read, and what was not sent is left out', () => {
  const query = { status: 'PAID', test: 'false', from: '2026-01-01T00:00:00Z', orderNo: '26010112-345678', productNo: '7' };
  expect(parameterProblems(Query, query)).toEqual([]);
  expect(read(Query, query)).toEqual({
    status: 'PAID',
    test: false,
    from: Date.UTC(2026, 0, 1),
    orderNo: '26010112345678',
    productNo: 7,
  });
  expect(read(Query, {})).toEqual({});
});

test('no parameter but the cursor has a constraint that only the documents know', () => {
  const documented = endpoints.flatMap(({ id, query }) => {
    const { properties = {} } = (query ?? {}) as { properties?: Record<string, TSchema & Record<string, unknown>> };
    return Object.entries(properties).flatMap(([name, schema]) =>
      name !== 'cursor' && 'x-document' in schema && !('x-reading' in schema) ? [`${id} ${name}`] : [],
    );
  });
  expect(documented).toEqual([]);
});
