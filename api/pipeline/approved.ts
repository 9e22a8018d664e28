/** What an approved request does is what was approved. */
import { renewPreview } from '../../db/approvals/commands.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { hashKey, type OperationKey, storedReply, storeReply } from '../../db/runs/operations.ts';
import { checkApproved } from '../preview/preview.ts';
import type { Rehearsal } from '../preview/rehearse.ts';
import type { Request } from '../declare/request.ts';

/**
 * What each command of an approved request has to do, by the entity of its run: what it did in a dry run that did what was approved. Once
 * it is stored, every try of the execution expects the same, whatever was carried out of it meanwhile. Throws Stale, and the refusals of
 * the dry run.
 */
export async function beginApproved(request: Request, dryRun: () => Promise<Rehearsal>): Promise<ReadonlyMap<string, string>> {
  const { deps, caller, operation, execution } = request;
  const key: OperationKey = { ...operation, key: hashKey(`${operation.key}/expected`) };
  const begun = await inTenant(deps.orm, caller, REQUEST, (tx) => storedReply(tx, key));
  if (begun) return effectsIn(begun.body);
  const { preview, effects } = await dryRun();
  checkApproved(request, preview);
  return inTenant(deps.orm, caller, REQUEST, async (tx) => {
    await storeReply(tx, key, { status: 200, body: Object.fromEntries(effects) });
    await renewPreview(tx, execution!, preview);
    // Another try may have been first.
    return effectsIn((await storedReply(tx, key))!.body);
  });
}
const effectsIn = (body: unknown): ReadonlyMap<string, string> => new Map(Object.entries(body as Readonly<Record<string, string>>));
