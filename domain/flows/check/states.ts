/** States: statuses, deadlines, permissions, files and the ways out. */
import { type Deadline, type Permission, type PermissionKey, type StateNode, WAITING_STATUSES } from '../graph/graph.ts';
import { repeated } from './identity.ts';
import type { Report, Where } from './issues.ts';
import type { Values } from './values.ts';
import type { View } from './view.ts';

const WAITING: ReadonlySet<string> = new Set(WAITING_STATUSES);
const SETTINGS: ReadonlySet<string> = new Set(['autoDeliverDays', 'autoConfirmDays']);

export function checkStates(view: View, report: Report, values: Values): void {
  for (const node of view.graph.states) {
    const nodeId = node.id;
    if ((node.type === 'state' || node.type === 'external') && !WAITING.has(node.status))
      report.block(
        'STATUS_NOT_ALLOWED',
        { nodeId, field: 'status' },
        `A node that waits has one of the statuses ${WAITING_STATUSES.join(', ')}.`,
      );
    if (node.type !== 'state') continue;
    values.template(node.message, { nodeId, field: 'message' });
    checkFiles(node, report);
    checkDeadlines(view, node, report, values);
    for (const [key, permission] of Object.entries(node.permissions ?? {}))
      if (permission !== true) checkPermission(permission, { nodeId, field: `permissions.${key as PermissionKey}` }, report, values);
    checkWaysOut(view, node, report);
  }
}

function checkFiles({ id: nodeId, attachments }: StateNode, { block }: Report): void {
  if (!attachments) return;
  const { min, max } = attachments;
  if (min > max || max < 1 || max > 10)
    block('ATTACHMENTS_ENTRY', { nodeId, field: 'attachments' }, 'A state takes at most 1 to 10 files and needs no more than it takes.');
}

function checkDeadlines({ edgesFrom }: View, { id: nodeId, deadlines = [] }: StateNode, report: Report, values: Values): void {
  for (const { key } of repeated(deadlines, (deadline) => deadline.key))
    report.block('DEADLINE_INVALID', { nodeId, field: `deadlines.${key}` }, 'Two deadlines have this key.');
  for (const deadline of deadlines) {
    const where = (field: string): Where => ({ nodeId, field: `deadlines.${deadline.key}${field}` });
    checkTime(deadline, where, report);
    values.duration(deadline.after, where('.after'));
    values.expression(deadline.at, 'time', where('.at'));
    const edges = edgesFrom(nodeId).filter(({ on }) => on.type === 'elapsed' && on.deadline === deadline.key);
    if (edges.length === 0) report.warn('DEADLINE_UNUSED', where(''), 'No edge uses this deadline.');
    else if (edges.every(({ when }) => when !== undefined))
      report.warn('DEADLINE_MAY_NOT_MOVE', where(''), 'Every edge of this deadline has a condition: nothing happens where none holds.');
  }
}
function checkTime({ after, at, setting }: Deadline, where: (field: string) => Where, { block }: Report): void {
  const given = [after, at, setting].filter((one) => one !== undefined);
  if (given.length !== 1) block('DEADLINE_INVALID', where(''), 'A deadline has exactly one of after, at, setting.');
  if (setting !== undefined && !SETTINGS.has(setting))
    block('DEADLINE_INVALID', where('.setting'), 'The settings are autoDeliverDays and autoConfirmDays.');
}

function checkPermission(
  { within, until, fee, deduct }: Permission,
  where: { nodeId: string; field: string },
  report: Report,
  values: Values,
): void {
  const at = (field: string): Where => ({ ...where, field: `${where.field}.${field}` });
  if (within !== undefined && until !== undefined) report.block('PERMISSION_BOTH_LIMITS', where, 'A limit is either within or until.');
  if (fee !== undefined && deduct !== undefined) report.block('PERMISSION_BOTH_FEES', where, 'A deduction is either fee or deduct.');
  values.duration(within, at('within'));
  values.expression(until, 'time', at('until'), 'claim');
  if (typeof deduct === 'string') values.expression(deduct, 'int', at('deduct'), 'claim');
  else if (deduct !== undefined && !isWon(deduct)) report.block('FEE_INVALID', at('deduct'), WON);
  if (fee?.type === 'flat' && !isWon(fee.amount)) report.block('FEE_INVALID', at('fee.amount'), WON);
  if (fee?.type === 'ratio' && !isPercentage(fee.percent))
    report.block('FEE_INVALID', at('fee.percent'), 'Percent are 0 to 100, with at most two decimals.');
}
const WON = 'A deduction is a whole number of won.';
const isWon = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
/** As fees are computed: hundredths of percents. */
const isPercentage = (value: number): boolean => value >= 0 && value <= 100 && Math.round(value * 100) / 100 === value;

function checkWaysOut({ edgesFrom }: View, { id: nodeId }: StateNode, { block, warn }: Report): void {
  const leaving = edgesFrom(nodeId).filter(({ internal }) => !internal);
  if (leaving.length === 0) block('DEAD_END', { nodeId }, 'No edge leaves this state.');
  else if (!leaving.some(({ on }) => on.type === 'elapsed')) warn('NO_DEADLINE', { nodeId }, 'It waits for people without any deadline.');
}
