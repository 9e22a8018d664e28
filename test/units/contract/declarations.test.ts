/** What a change of the management API cannot be declared without: dry run, audit log and agents' rules come from it. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { isManaged } from '../../../api/declare/endpoint.ts';
import { openapi } from '../../../api/documents/openapi.ts';

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

test('the document says `x-console-only: true` of what the console alone may do, its roles beside it, and of nothing else', () => {
  const { paths } = openapi('store', endpoints) as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
  const documented = Object.values(paths).flatMap((methods) => Object.values(methods)) as readonly Documented[];
  const documentedAs = documented.map(({ operationId, 'x-console-only': only, 'x-console-roles': roles }) => [operationId, only, roles]);
  const declared = documented.map(({ operationId }) => {
    const console = endpoints.find(({ id }) => id === operationId)?.console;
    return [operationId, console && true, console && console.length > 0 ? console : undefined];
  });
  expect(documentedAs).toEqual(declared);
  expect(documentedAs.filter(([, only]) => only).map(([operationId]) => operationId)).toContain('invitations.accept');
});
interface Documented {
  readonly operationId: string;
  readonly 'x-console-only'?: boolean;
  readonly 'x-console-roles'?: readonly string[];
}
