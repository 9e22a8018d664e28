/** What taking an edge does besides the change of state: its executions, as effects. */
import { type Draft, evaluateFee, setMembers, whose } from './draft.ts';
import type { Execution } from '../graph/graph.ts';
import { moving, type Location } from './positions.ts';

/** `extend` moves a deadline of the position. */
export function runExecutions(
  draft: Draft,
  location: Location,
  executions: readonly Execution[],
  extend: (deadline: string, by: string) => void,
): void {
  for (const execution of executions) {
    if (execution.type === 'refund') refund(draft, location, execution.deduct ?? 0);
    else if (execution.type === 'stock.restore') moveStock(draft, execution.type, true);
    else if (execution.type === 'stock.capture') moveStock(draft, execution.type, false);
    else {
      if (execution.type === 'deadline.extend') extend(execution.deadline, execution.by);
      draft.effects.push({ ...execution, at: draft.at, ...whose(draft) });
    }
  }
}

/** Once per item: it settles the item, and nothing pays for it again. A deduction that fails is 0 (F39). */
function refund(draft: Draft, location: Location, deduct: number | string): void {
  for (const { id, settled } of moving(draft.state)) {
    if (settled) continue;
    const refundable = draft.facts.refundableWon?.[id] ?? 0;
    const value = typeof deduct === 'number' ? deduct : evaluateFee(draft, location, deduct, refundable);
    const deductWon = Math.min(refundable, Math.max(0, typeof value === 'number' ? value : 0));
    draft.effects.push({ type: 'refund', member: id, deductWon, at: draft.at });
  }
  setMembers(draft, (member) => (member.standsAt ? member : { ...member, settled: true }));
}

/** Restored stock is not restored again at an end; capturing it undoes that. */
function moveStock(draft: Draft, type: 'stock.restore' | 'stock.capture', isRestoring: boolean): void {
  const members = moving(draft.state).filter(({ restored = false }) => restored !== isRestoring);
  if (members.length === 0) return;
  const ids = new Set(members.map(({ id }) => id));
  draft.effects.push({ type, at: draft.at, ...(draft.flow.progression === 'ORDER_GROUP' && { members: [...ids] }) });
  setMembers(draft, (member) => {
    if (!ids.has(member.id)) return member;
    const { restored: _, ...rest } = member;
    return isRestoring ? { ...rest, restored: true } : rest;
  });
}
