/** The records of an item in a flow, and where they part, as sellers read it. */
import type { RecordedItem } from '../../db/orders/flows/replayed.ts';
import type { Truncation } from '../../domain/flows/rehearse/clockwork.ts';
import { compileFlow, type Flow } from '../../domain/flows/run/flow.ts';
import type { Bundle } from '../../domain/flows/graph/graph.ts';
import { type Divergence, type FlowRecord, replay } from '../../domain/flows/rehearse/replay.ts';

type RecordedEvent = FlowRecord['event'] & { readonly [field: string]: unknown };

/** Feeds the records, each parsed in its turn, to a flow. `spent` is asked before each. */
export function replayItem(
  flow: Flow,
  { records, cut, bundles, members, facts }: RecordedItem,
  spent?: (fed: number) => Truncation | null,
) {
  const flows = bundles.map((bundle) => compileFlow(JSON.parse(bundle) as Bundle));
  const parsed = function* (): Generator<FlowRecord> {
    for (const { runId, at, event, trace, flow: number } of records)
      yield {
        runId,
        at,
        event: JSON.parse(event) as RecordedEvent,
        trace: JSON.parse(trace) as FlowRecord['trace'],
        flow: flows[number]!,
      };
  };
  const { divergence, fed, truncated } = replay(flow, { records: parsed(), members, facts }, spent);
  const diverged = divergence && { ...divergence, ...recordOf(records[divergence.record - 1]!) };
  return { fed, diverged, truncated: divergence ? null : (truncated ?? cut) };
}
const recordOf = ({ runId, event }: RecordedItem['records'][number]) => ({ runId, event: JSON.parse(event) as RecordedEvent });

type Diverged = Divergence & ReturnType<typeof recordOf>;
export function viewDivergence({ record, runId, event, recorded, replayed }: Diverged) {
  const { edges, to, code = null, reason = null } = replayed;
  const details = DETAILS.filter((field) => typeof event[field] === 'string').map((field) => [field, event[field] as string] as const);
  return {
    record,
    runId,
    event: { type: event.type, ...(Object.fromEntries(details) as { [K in (typeof DETAILS)[number]]?: string }) },
    recorded: { edges: [...recorded.edges], to: [...recorded.to] },
    replayed: { edges: [...edges], to: [...to], code, reason },
  };
}
const DETAILS = ['key', 'name', 'deadline', 'value', 'to', 'reason'] as const;
