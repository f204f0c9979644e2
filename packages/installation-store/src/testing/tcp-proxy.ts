/** A network that can be cut: forwards connections, and drops them on request. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Cuts each connection that sends this text, before or after forwarding it. */
  cutAt(text: string, moment: 'before' | 'after'): void;
  /** Replaces a text that is sent by another one of the same length. */
  replace(text: string, by: string): void;
  /** Forwards nothing and closes nothing, like a lost route. */
  freeze(): void;
  /** The same, for the connections that are open. New ones work. */
  silence(): void;
  /** Forwards new connections again, and closes those that were frozen. */
  thaw(): void;
  close(): void;
}

export async function startTcpProxy(target: URL): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let cut: { text: string; moment: 'before' | 'after' } | undefined;
  let replaced = { text: '', by: '' };
  let isFrozen = false;
  let silences = 0;

  const server = createServer((inbound) => {
    const outbound = connect(Number(target.port), target.hostname);
    const silencesBefore = silences;
    const isSilent = () => isFrozen || silences > silencesBefore;
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        inbound.destroy();
        outbound.destroy();
      });
    }
    outbound.on('data', (data) => {
      if (!isSilent()) inbound.write(data);
    });
    inbound.on('data', (data) => {
      if (isSilent()) return;
      if (!cut || !data.includes(cut.text)) {
        outbound.write(withText(data, replaced));
        return;
      }
      inbound.destroy();
      if (cut.moment === 'after') outbound.end(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAt(text, moment) {
      cut = { text, moment };
    },
    replace(text, by) {
      replaced = { text, by };
    },
    freeze() {
      isFrozen = true;
    },
    silence() {
      silences += 1;
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function withText(data: Buffer, { text, by }: { text: string; by: string }): Buffer {
  const at = text === '' ? -1 : data.indexOf(text);
  if (at >= 0) data.write(by, at);
  return data;
}
