/** A trace collector: stores spans that it receives by OTLP over HTTP, and returns those of a trace by its id. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        traceId: string;
        name: string;
        spanId: string;
        parentSpanId?: string;
        attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}
const record = (attributes: readonly Attribute[]) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function startCollector(): Promise<{ url: string; server: Server }> {
  const traces = new Map<string, CollectedSpan[]>();
  const store = ({ resourceSpans }: Export) => {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { traceId, name, spanId, parentSpanId, attributes } of scopeSpans.flatMap(({ spans }) => spans))
        traces.set(traceId, [
          ...(traces.get(traceId) ?? []),
          {
            service: String(record(resource.attributes)['service.name']),
            name,
            spanId,
            ...(parentSpanId && { parentSpanId }),
            attributes: record(attributes),
          },
        ]);
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST')
      void json(request).then((body) => {
        store(body as Export);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    else response.end(JSON.stringify(traces.get(request.url!.slice(1)) ?? []));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
