import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { entityStatus, nextDeadline } from './attributes.ts';
import type { Plan } from './messages.ts';

/**
 * Shows operators a new plan: the note as current details, status and next deadline as search attributes. While a call is planned, the
 * attributes stay: they would change again when it ends, and each upsert is an event in the history.
 */
export function show(was: Plan, is: Plan): void {
  if (is.note !== was.note) setCurrentDetails(is.note);
  if (is.calls.length > 0) return;
  const shown = workflowInfo().typedSearchAttributes;
  const isShown = shown.get(entityStatus) === is.status && (shown.get(nextDeadline)?.getTime() ?? null) === is.wakeAt;
  if (isShown) return;
  upsertSearchAttributes([
    { key: entityStatus, value: is.status },
    { key: nextDeadline, value: is.wakeAt === null ? null : new Date(is.wakeAt) },
  ]);
}
