import { patchStore } from '../../db/stores/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { originProblems, Store, StorePatch, viewStore } from './schemas.ts';
import { STORE } from './subject.ts';

/** What only people change: the terms that buyers accept (G6). */
const TERMS: ReadonlySet<string> = new Set(['termsVersion', 'privacyVersion', 'termsUrl', 'privacyUrl']);

export const patch = endpoint({
  id: 'stores.patch',
  route: 'PATCH /v1/store',
  summary: 'Change the store settings that are sent',
  access: 'store',
  scopes: ['store:rw'],
  agent: {
    condition:
      'denied when termsVersion, privacyVersion, termsUrl or privacyUrl would change, approval when anything else would, direct otherwise',
    decide: (changes) => {
      if (changes.some(({ field }) => TERMS.has(field))) return 'denied';
      return changes.length > 0 ? 'approval' : 'direct';
    },
  },
  directUntilLive: true,
  target: STORE,
  change: 'here',
  body: StorePatch,
  data: Store,
  check: originProblems,
}).handle(async ({ tx, body }) => viewStore(await patchStore(tx, body)));
