/** What of a token must still live when a request is carried out: never the token itself. */
import { expect, test } from '@jest/globals';
import { tokenRefOf } from '../../../api/callers/rights.ts';
import type { Claims } from '../../../api/declare/tokens.ts';

const scopes = ['order:rw'];
const person = { userId: 'usr', loginId: 'lgn', resource: null, authTime: 1, joinedAt: 7 };
const store = { use: 'store', storeId: 'sto', clientId: 'cli', origin: 'app', scopes } as const;

test.each<[string, Claims, object]>([
  ['a server', { ...store, person: null }, { kind: 'client', clientId: 'cli', scopes }],
  [
    'a person’s store token belongs to one membership',
    { ...store, person },
    { kind: 'login', userId: 'usr', loginId: 'lgn', clientId: 'cli', scopes, joinedAt: 7 },
  ],
  [
    'a person’s user token to whichever there is',
    { use: 'user', userId: 'usr', clientId: 'cli', loginId: 'lgn', origin: 'app', scopes, authTime: 1, resource: null },
    { kind: 'login', userId: 'usr', loginId: 'lgn', clientId: 'cli', scopes, joinedAt: null },
  ],
])('%s', (_, claims, expected) => {
  expect(tokenRefOf({ claims, apiToken: null })).toEqual(expected);
});

test('an API token is known by its id, a buyer’s token is none', () => {
  const apiToken = { tokenId: 'tok' } as Parameters<typeof tokenRefOf>[0]['apiToken'];
  expect(tokenRefOf({ claims: null, apiToken })).toEqual({ kind: 'apiToken', tokenId: 'tok' });
  for (const claims of [null, { use: 'member' } as Claims])
    expect(() => tokenRefOf({ claims, apiToken: null })).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});
