/** Order flows as previews and the audit log show them. */
import { lockFlow } from '../../db/flows/commands.ts';
import { findSecret } from '../../db/flows/secrets.ts';
import { findFlow, isDefaultFlow, versionsOf } from '../../db/flows/stored.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';
import { viewSecret, viewSummary } from './schemas.ts';

/** Orders come and go meanwhile: what is in progress is no change of a flow. */
const GIVEN = [
  'flowId',
  'createdAt',
  'draft.version',
  'draft.updatedAt',
  'versions[].version',
  'versions[].publishedAt',
  'versions[].inProgress',
];
/** With its draft's graph. */
export const COMMERCE_FLOW: Subject = shownBy(get, { type: 'COMMERCE_FLOW', idField: 'flowId', lock: lockFlow, given: GIVEN });
/** Without graphs: a publish changes none. */
export const FLOW_HEAD: Subject = {
  type: 'COMMERCE_FLOW',
  idField: 'flowId',
  listing: { given: GIVEN },
  data: null,
  lock: lockFlow,
  read: async (tx, flowId) => {
    const flow = await findFlow(tx, flowId);
    return viewSummary(flow, (await versionsOf(tx, [flow])).get(flowId));
  },
};

/** A connection; of a new value one sees that it is another one. */
export const FLOW_SECRET: Subject = {
  type: 'FLOW_SECRET',
  idField: 'name',
  listing: { given: ['name', 'updatedAt'], hidden: ['headerValue'] },
  data: null,
  read: async (tx, name) => {
    const secret = await findSecret(tx, name);
    return secret && { ...viewSecret(secret), headerValue: secret.valueSealed };
  },
};

/** FLOW_DEFAULT_LOCKED, whatever is sent. */
export async function refuseDefault(tx: Tx, { flowId = '' }: Readonly<Record<string, string>>): Promise<void> {
  if (await isDefaultFlow(tx, flowId)) throw new Fault('FLOW_DEFAULT_LOCKED');
}
