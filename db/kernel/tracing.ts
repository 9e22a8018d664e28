/**
 * OpenTelemetry, off unless OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT) names a collector. Exporter and sampler
 * read the standard OTEL_ variables. Spans carry ids and names of operations, never text of a person.
 */
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';

export interface Tracing {
  readonly processor: SpanProcessor;
  readonly resource: Resource;
  /** Exports the remaining spans; to be awaited before the process exits. */
  stop(): Promise<void>;
}

/** Starts tracing for this process; null, and nothing loaded, when no collector is configured. */
export async function startTracing(
  service: 'sangjeom-api' | 'sangjeom-worker',
  env: NodeJS.ProcessEnv = process.env,
): Promise<Tracing | null> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return null;
  const [{ OTLPTraceExporter }, { Resource }, { BatchSpanProcessor, NodeTracerProvider }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const resource = new Resource({ 'service.name': env['OTEL_SERVICE_NAME'] ?? service });
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  return { processor, resource, stop: () => provider.shutdown().catch(() => undefined) };
}

/** The current trace context as a `traceparent`, or null. */
export function currentTrace(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'] ?? null;
}

/** Runs `work` in the trace context of a `traceparent`. */
export function within<T>(traceparent: string | null, work: () => Promise<T>): Promise<T> {
  return traceparent === null ? work() : context.with(propagation.extract(context.active(), { traceparent }), work);
}

/** Runs `work` for one request in a server span, whose name and attributes `work` sets. */
export function serverSpan(traceparent: string | null, work: (span: Span) => Promise<void>): Promise<void> {
  return within(traceparent, () =>
    trace.getTracer('sangjeom').startActiveSpan('request', { kind: SpanKind.SERVER }, async (span) => {
      try {
        await work(span);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    }),
  );
}
