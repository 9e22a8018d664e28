/** A client that sends the head of a request and as much of its body as it is told, when it is told. */
import { connect, type Socket } from 'node:net';

export class SlowSender {
  readonly #socket: Socket;
  #received = '';
  #ended = false;
  #wake = (): void => {};

  constructor(api: string, head: readonly string[]) {
    const { hostname, port } = new URL(api);
    this.#socket = connect(Number(port), hostname);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => {
      this.#received += text;
      this.#wake();
    });
    // The other side may end it at any time.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
    this.#socket.write(`${[...head, 'Host: x'].join('\r\n')}\r\n\r\n`);
  }
  /** Resolves when the system took it, or the connection is gone. */
  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve();
      this.#socket.once('close', () => resolve());
      this.#socket.write(bytes, () => resolve());
    });
  }
  get isEnded(): boolean {
    return this.#ended;
  }
  /** Null before its head has come. */
  get status(): number | null {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.#received) ?? [];
    return status === undefined ? null : Number(status);
  }
  get answer(): string {
    return this.#received;
  }
  /** The status of its answer. */
  async answered(): Promise<number | null> {
    while (this.status === null && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.status;
  }
  close(): void {
    this.#socket.destroy();
  }
}
