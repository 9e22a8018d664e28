import { lockStore, patchStore } from '../../db/stores/commands.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { originProblems, Store, StorePatch, viewStore } from './schemas.ts';

export const patch = endpoint({
  id: 'stores.patch',
  route: 'PATCH /v1/store',
  summary: 'Change the store settings that are sent',
  access: 'store',
  scopes: ['store:rw'],
  agent: {
    condition:
      'denied when termsVersion, privacyVersion, termsUrl or privacyUrl would change, approval when anything else would, direct otherwise',
    values: async (tx) => viewStore(await lockStore(tx)),
  },
  change: 'here',
  body: StorePatch,
  data: Store,
  check: originProblems,
}).handle(async ({ tx, body }) => viewStore(await patchStore(tx, body)));
