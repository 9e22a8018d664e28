/**
 * Propagates a trace through a workflow, from its start, signals and updates to its activities. The SDK's own workflow interceptors cannot
 * be used: each wraps its call in an `async` function, which shifts microtasks, so that histories recorded without them fail to replay.
 * These return the promise of `next` unchanged, so that tracing can be switched on and off while runs are open.
 */
import {
  type ActivityInput,
  AsyncLocalStorage,
  defaultPayloadConverter,
  getRandomStream,
  type LocalActivityInput,
  type Next,
  proxySinks,
  type Sinks,
  type UpdateInput,
  type WorkflowExecuteInput,
  workflowInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  type ContinueAsNewInput,
  type SignalInput,
} from '@temporalio/workflow';

/** One span as the worker exports it; times in milliseconds. */
export interface RunSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
}
export interface TraceSinks extends Sinks {
  traces: { span(span: RunSpan): void };
}
const { traces } = proxySinks<TraceSinks>();

/** The header in which OpenTelemetry's client and activity interceptors for Temporal pass the context. */
const HEADER = '_tracer-data';
type Headers = WorkflowExecuteInput['headers'];

/** A sampled W3C trace context. */
interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

function traceOf(headers: Headers): Trace | null {
  const payload = headers[HEADER];
  if (!payload) return null;
  const carrier = defaultPayloadConverter.fromPayload<{ traceparent?: unknown } | null>(payload);
  const [, traceId, spanId] = TRACEPARENT.exec(String(carrier?.traceparent)) ?? [];
  return traceId && spanId ? { traceId, spanId } : null;
}
const withTrace = (headers: Headers, trace: Trace | null): Headers =>
  trace ? { ...headers, [HEADER]: defaultPayloadConverter.toPayload({ traceparent: `00-${trace.traceId}-${trace.spanId}-01` }) } : headers;

class RunTrace implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  /** The trace of the current update: its transition belongs to it, even when signals arrive meanwhile. */
  readonly #command = new AsyncLocalStorage<Trace>();
  /** The trace of the latest start, signal or update; later calls and timers belong to it. */
  #latest: Trace | null = null;

  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const parent = traceOf(input.headers);
    // A run lasts for weeks: its span ends at its start, so that it is exported immediately.
    if (parent) this.#latest = this.#span(`RunWorkflow:${workflowInfo().workflowType}`, parent, Date.now(), false);
    return next(input);
  }
  handleSignal(input: SignalInput, next: Next<WorkflowInboundCallsInterceptor, 'handleSignal'>): Promise<void> {
    this.#latest = traceOf(input.headers) ?? this.#latest;
    return next(input);
  }
  handleUpdate(input: UpdateInput, next: Next<WorkflowInboundCallsInterceptor, 'handleUpdate'>): Promise<unknown> {
    const parent = traceOf(input.headers);
    if (!parent) return next(input);
    const mine: Trace = { traceId: parent.traceId, spanId: newSpanId() };
    const began = Date.now();
    this.#latest = mine;
    const answer = this.#command.run(mine, () => next(input));
    const end = (isFailed: boolean) => void this.#span(`HandleUpdate:${input.name}`, parent, began, isFailed, mine.spanId);
    answer.then(
      () => end(false),
      () => end(true),
    );
    return answer;
  }
  scheduleActivity(input: ActivityInput, next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>): Promise<unknown> {
    return next({ ...input, headers: withTrace(input.headers, this.#current()) });
  }
  scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
  ): Promise<unknown> {
    return next({ ...input, headers: withTrace(input.headers, this.#current()) });
  }
  continueAsNew(input: ContinueAsNewInput, next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>): Promise<never> {
    return next({ ...input, headers: withTrace(input.headers, this.#current()) });
  }

  #current(): Trace | null {
    return this.#command.getStore() ?? this.#latest;
  }
  #span(name: string, parent: Trace, startMs: number, isFailed: boolean, spanId = newSpanId()): Trace {
    traces.span({ name, traceId: parent.traceId, spanId, parentSpanId: parent.spanId, startMs, endMs: Date.now(), isFailed });
    return { traceId: parent.traceId, spanId };
  }
}
/** From a separate random stream, so that the workflow's other random numbers do not change. */
const newSpanId = () => getRandomStream('sangjeom/traces').uuid4().replaceAll('-', '').slice(0, 16);

export function interceptors(): WorkflowInterceptors {
  const trace = new RunTrace();
  return { inbound: [trace], outbound: [trace] };
}
