/** Rows of runs as raw SQL returns them, and the run that each identifies. */
import type { RunIds, WorkflowType } from '../../workflows/kernel/messages.ts';

/** The columns of `run` and `outbox` that identify a run. */
export interface RunRow {
  readonly store_id: string;
  readonly workflow_type: WorkflowType;
  readonly workflow_id: string;
  readonly entity_id: string;
  readonly order_no: string | null;
}
export const runOfRow = (row: RunRow): RunIds => ({
  storeId: row.store_id,
  workflowType: row.workflow_type,
  workflowId: row.workflow_id,
  entityId: row.entity_id,
  orderNo: row.order_no,
});
