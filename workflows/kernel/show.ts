import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { entityStatus, nextDeadline } from './attributes.ts';
import type { Plan } from './messages.ts';

/**
 * Shows operators a new plan: the note as current details, status and next deadline as search attributes. While a call is planned, the
 * attributes stay: they would change again when it ends, and each upsert is an event in the history.
 */
export function show(before: Plan, after: Plan): void {
  if (after.note !== before.note) setCurrentDetails(after.note);
  if (after.calls.length > 0) return;
  const shown = workflowInfo().typedSearchAttributes;
  const isShown = shown.get(entityStatus) === after.status && (shown.get(nextDeadline)?.getTime() ?? null) === after.wakeAt;
  if (isShown) return;
  upsertSearchAttributes([
    { key: entityStatus, value: after.status },
    { key: nextDeadline, value: after.wakeAt === null ? null : new Date(after.wakeAt) },
  ]);
}
