/** The table of workflow types, and that each type has its function. */
import { expect, test } from '@jest/globals';
import {
  type RunRef,
  runOf,
  WORKFLOW_TYPES,
  WORKFLOWS,
  type WorkflowType,
  orderGroupRun,
  orderItemRun,
} from '../../../workflows/kernel/messages.ts';
import { JOB_WORKFLOW } from '../../../workflows/kernel/jobs.ts';
import { startOptions } from '../../../workflows/kernel/start.ts';
import * as functions from '../../../workflows/index.ts';

test('every workflow type has its function, and no other is in the bundle', () => {
  const found = functions satisfies Readonly<Record<WorkflowType, (run: RunRef) => Promise<void>>>;
  expect(Object.keys(found).toSorted()).toEqual([...WORKFLOW_TYPES, JOB_WORKFLOW].toSorted());
});

test('no prefix of workflow ids is the beginning of another', () => {
  const heads = WORKFLOW_TYPES.map((type) => `${WORKFLOWS[type].idPrefix}/`);
  expect(heads.filter((head, i) => heads.some((other, j) => j !== i && other.startsWith(head)))).toEqual([]);
});

test('a run is named by its row, an order item’s by its number', () => {
  expect(WORKFLOW_TYPES.map((type) => runOf(type, 's', 'e').workflowId).toSorted()).toEqual([
    'approval-notice/s/e',
    'approval/s/e',
    'claim/s/e',
    'invitation/s/e',
    'order-group/s/e',
    'order-item/s/e',
    'payment/s/e',
    'webhook-subscription/s/e',
    'webhook/s/e',
  ]);
  expect(orderItemRun({ storeId: 's', orderItemId: 'i', orderItemNo: '2611230000000101' })).toEqual({
    storeId: 's',
    workflowType: 'orderItem',
    workflowId: 'order-item/s/2611230000000101',
    entityId: 'i',
    orderNo: '26112300000001',
  });
});

test('what the items of an order in one flow share is a run of the order’s number and the flow’s key', () => {
  expect(orderGroupRun({ storeId: 's', groupId: 'g', orderItemNo: '2611230000000101', flowKey: 'tables' })).toEqual({
    storeId: 's',
    workflowType: 'orderGroup',
    workflowId: 'order-group/s/26112300000001/tables',
    entityId: 'g',
    orderNo: '26112300000001',
  });
});

test('payments go first, and deliveries have queues of their own', () => {
  const started = (type: WorkflowType, yields = false) => {
    const { taskQueue, priority } = startOptions({ ...runOf(type, 's', 'e'), yields });
    return [type, taskQueue, priority.priorityKey];
  };
  expect([...WORKFLOW_TYPES.map((type) => started(type)), started('webhookDelivery', true)]).toEqual([
    ['payment', 'runs', 1],
    ['orderItem', 'runs', 2],
    ['orderGroup', 'runs', 2],
    ['claim', 'runs', 2],
    ['invitation', 'runs', 3],
    ['approval', 'runs', 2],
    ['approvalNotice', 'runs', 3],
    ['webhookDelivery', 'webhook-deliveries', 4],
    ['webhookSubscription', 'runs', 5],
    ['webhookDelivery', 'webhook-deliveries-yielding', 4],
  ]);
});
