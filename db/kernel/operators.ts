/** An HTTP server for operators: metrics and health, never on a public port (X20). */
import { createServer, type Server } from 'node:http';
import type { Log } from './log.ts';

/** Handlers by path: status and text. One that rejects is answered with 503. */
export type Answers = Readonly<Record<string, () => Promise<readonly [status: number, text: string]>>>;

interface OperatorsAddress {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}

/** Serves these paths, and 404 for all others. A port in use is only logged: the process runs without metrics. */
export function serveOperators({ host, port, log }: OperatorsAddress, answers: Answers): Server {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0]!;
    const answer = Object.hasOwn(answers, path) ? answers[path]! : () => Promise.resolve([404, 'not found\n'] as const);
    answer()
      .catch((): readonly [number, string] => [503, 'unavailable\n'])
      .then(([status, text]) => {
        const type = text.startsWith('{') ? 'application/json; charset=utf-8' : 'text/plain; version=0.0.4; charset=utf-8';
        response.writeHead(status, { 'content-type': type }).end(text);
      })
      .catch(() => response.destroy());
  });
  server.on('error', (error) =>
    log.warn({ err: error, port }, 'metrics are not served: another process of this machine may have the port'),
  );
  server.listen(port, host);
  return server;
}
