/** What a command did, in the form in which an approved one is compared with its dry run (G51). */
import { comparedOf } from '../../domain/approvals/rules.ts';
import { allChanges } from '../../domain/audit/changes.ts';
import { digestOf } from '../kernel/digest.ts';
import type { Returned } from '../kernel/tx.ts';
import type { Views } from './origin.ts';

interface Done {
  readonly views?: Views | null;
  readonly reply?: { readonly body: unknown };
}
/**
 * The digest of the difference that it made to what GET shows, of what it gave back, of the amounts and counts of its reply, and of the items
 * that it moved. Nothing of it depends on the time: a dry run a moment earlier has the same.
 */
export function effectOf({ views, reply }: Done, { before, after }: { readonly before: Returned; readonly after: Returned }): string {
  const listed = views ? comparedOf(allChanges(views.before, views.after, views.listing), views.listing.levels ?? []) : [];
  const answered = Object.entries((reply?.body ?? {}) as Readonly<Record<string, unknown>>);
  return digestOf({
    changes: listed,
    refundAmount: after.refundAmount - before.refundAmount,
    pointRefundAmount: after.pointRefundAmount - before.pointRefundAmount,
    answered: Object.fromEntries(answered.filter(([name, value]) => typeof value === 'number' || name === 'affectedOrderItemIds')),
  });
}
