import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { aliases, isManagement } from '../../../api/web/aliases.ts';
import { surfaceOf } from '../../../api/documents/openapi.ts';

test('every address of a management operation, short ones too, is one of the management API, and none of a shop', () => {
  for (const endpoint of endpoints)
    for (const path of aliases(endpoint.route.split(' ')[1]!))
      expect([path, isManagement(path)]).toEqual([path, surfaceOf(endpoint) === 'store']);
});

test.each([
  ['/v1/nothing', true],
  ['/v1/Store', true],
  ['/V1/Store', false],
  ['/v1', true],
  ['/v10/store', false],
  ['/webhooksx', false],
  ['/storefront/v1/nothing', false],
  ['/oauth2/token', false],
  ['/pay/x', false],
])('%s: %s', (path, expected) => expect(isManagement(path)).toBe(expected));
