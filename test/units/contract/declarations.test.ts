/** What a change of the management API cannot be declared without: dry run, audit log and agents' rules come from it. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { isManaged } from '../../../api/kernel/endpoint.ts';

const managed = endpoints.filter(isManaged);

test('every change says what it is about, so that it has a preview and a record', () => {
  expect(managed.filter(({ target }) => target === undefined).map(({ id }) => id)).toEqual([]);
});

test('every change says what agents may do with it', () => {
  expect(managed.filter(({ agent }) => agent === undefined).map(({ id }) => id)).toEqual([]);
});

test('no read has a policy, a target or facts', () => {
  const reads = endpoints.filter((endpoint) => !isManaged(endpoint));
  expect(reads.filter(({ target, facts }) => target !== undefined || facts !== undefined).map(({ id }) => id)).toEqual([]);
});
