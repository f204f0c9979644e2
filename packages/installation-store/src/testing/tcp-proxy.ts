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
  /** Closes the connections that are open, and refuses new ones until `thaw` or `leadTo`. */
  cut(): void;
  /** Closes the connections that are open. New ones are for another server. */
  leadTo(target: URL): void;
  /** Forwards new connections again, and closes those that were frozen. */
  thaw(): void;
  close(): void;
}

interface Network {
  target: URL;
  sockets: Set<Socket>;
  cut: { text: string; moment: 'before' | 'after' } | undefined;
  replaced: { text: string; by: string };
  isFrozen: boolean;
  isCut: boolean;
  silences: number;
}

export async function startTcpProxy(target: URL): Promise<TcpProxy> {
  const network: Network = {
    target,
    sockets: new Set(),
    cut: undefined,
    replaced: { text: '', by: '' },
    isFrozen: false,
    isCut: false,
    silences: 0,
  };
  const server = createServer((inbound) => forward(network, inbound));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAt(text, moment) {
      network.cut = { text, moment };
    },
    replace(text, by) {
      network.replaced = { text, by };
    },
    freeze() {
      network.isFrozen = true;
    },
    silence() {
      network.silences += 1;
    },
    cut() {
      network.isCut = true;
      closeAll(network);
    },
    leadTo(next) {
      Object.assign(network, { target: next, isCut: false, isFrozen: false });
      closeAll(network);
    },
    thaw() {
      Object.assign(network, { isCut: false, isFrozen: false });
      closeAll(network);
    },
    close() {
      closeAll(network);
      server.close();
    },
  };
}

function closeAll({ sockets }: Network): void {
  for (const socket of sockets) socket.destroy();
}

function forward(network: Network, inbound: Socket): void {
  if (network.isCut) {
    inbound.destroy();
    return;
  }
  const { target, sockets, silences } = network;
  const outbound = connect(Number(target.port), target.hostname);
  const isSilent = () => network.isFrozen || network.silences > silences;
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
    const { cut, replaced } = network;
    if (!cut || !data.includes(cut.text)) {
      outbound.write(withText(data, replaced));
      return;
    }
    inbound.destroy();
    if (cut.moment === 'after') outbound.end(data);
  });
}

function withText(data: Buffer, { text, by }: { text: string; by: string }): Buffer {
  const at = text === '' ? -1 : data.indexOf(text);
  if (at >= 0) data.write(by, at);
  return data;
}
