/** A name server that answers what a test says, each time anew. */
import { createSocket } from 'node:dgram';
import { type Answer, decode, encode } from 'dns-packet';

export interface NameServer {
  /** `host:port`. */
  readonly address: string;
  /** How often a name was asked for. */
  readonly queries: (name: string) => number;
  readonly close: () => void;
}
/** `answer` gives the addresses of a name, of either kind, at the n-th question for it (from 1); null: it never answers. */
export async function nameServer(answer: (name: string, n: number) => readonly string[] | null): Promise<NameServer> {
  const socket = createSocket('udp4');
  const counts = new Map<string, number>();
  socket.on('message', (message, from) => {
    const question = decode(message).questions?.[0];
    if (!question) return;
    const { name, type } = question;
    // A and AAAA of one look-up are one question to the test.
    const n = (counts.get(name) ?? 0) + (type === 'A' ? 1 : 0);
    counts.set(name, n);
    const addresses = answer(name, n);
    if (addresses === null) return;
    const wanted = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
    const answers = wanted.map((data): Answer => ({ type: type === 'AAAA' ? 'AAAA' : 'A', name, ttl: 300, data }));
    // 3 is NXDOMAIN.
    const flags = addresses.length === 0 ? 3 : 0;
    socket.send(encode({ type: 'response', id: decode(message).id ?? 0, flags, questions: [question], answers }), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries: (name) => counts.get(name) ?? 0,
    close: () => socket.close(),
  };
}
