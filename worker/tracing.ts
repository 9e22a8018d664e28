/** Interceptors that propagate traces into workflows and activities. */
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import type { ClientInterceptors } from '@temporalio/client';
import type { InjectedSinks, WorkerOptions } from '@temporalio/worker';
import type { Tracing } from '../db/kernel/tracing.ts';
import type { RunSpan, TraceSinks } from '../workflows/kernel/tracing.ts';

interface Traced {
  /** For workers that run workflows and transitions. */
  readonly runs: Pick<WorkerOptions, 'interceptors'> & { readonly sinks: InjectedSinks<TraceSinks> };
  /** For workers that run calls only. */
  readonly calls: Pick<WorkerOptions, 'interceptors'>;
  readonly client: ClientInterceptors;
}

/** Without tracing: spans of traces that another process began are dropped. */
export const untraced: Traced['runs'] = { sinks: { traces: { span: { fn: () => undefined } } } };

export async function tracedWorker(tracing: Tracing | null): Promise<Traced> {
  if (!tracing) return { runs: untraced, calls: {}, client: {} };
  const otel = await import('@temporalio/interceptors-opentelemetry');
  const calls: Pick<WorkerOptions, 'interceptors'> = {
    interceptors: { activity: [(ctx) => ({ inbound: new otel.OpenTelemetryActivityInboundInterceptor(ctx) })] },
  };
  return {
    runs: {
      ...calls,
      sinks: {
        traces: {
          span: { fn: ({ workflowId, runId }, span) => tracing.processor.onEnd(readable(tracing, span, { workflowId, runId })) },
        },
      },
    },
    calls,
    client: { workflow: [new otel.OpenTelemetryWorkflowClientInterceptor()] },
  };
}

type Time = [seconds: number, nanoseconds: number];
const time = (ms: number): Time => [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];

/** A workflow's span in the form of an exporter. */
function readable({ resource }: Tracing, span: RunSpan, ids: { workflowId: string; runId: string }): ReadableSpan {
  const { name, traceId, spanId, parentSpanId, startMs, endMs, isFailed } = span;
  return {
    name,
    resource,
    kind: SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED }),
    parentSpanId,
    startTime: time(startMs),
    endTime: time(endMs),
    duration: time(endMs - startMs),
    ended: true,
    status: { code: isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: { temporalWorkflowId: ids.workflowId, run_id: ids.runId },
    links: [],
    events: [],
    instrumentationLibrary: { name: 'sangjeom' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
