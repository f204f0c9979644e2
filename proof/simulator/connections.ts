/** The connections of one process to each origin. A request waits until one is free. */

export interface Connections {
  readonly perOrigin: number;
  readonly byOrigin: Map<string, OriginConnections>;
}

interface OriginConnections {
  taken: number;
  readonly waiting: Set<() => void>;
}

export function createConnections(perOrigin: number): Connections {
  return { perOrigin, byOrigin: new Map() };
}

/**
 * Calls `connected` with a connection, now or later. It is used until `release`. Returns a function that stops
 * waiting.
 */
export function connect(
  { perOrigin, byOrigin }: Connections,
  origin: string,
  connected: (release: () => void) => void,
): () => void {
  const connections = byOrigin.get(origin) ?? { taken: 0, waiting: new Set() };
  byOrigin.set(origin, connections);
  const begin = () => {
    connections.waiting.delete(begin);
    connections.taken += 1;
    connected(() => release(connections));
  };
  if (connections.taken < perOrigin) begin();
  else connections.waiting.add(begin);
  return () => void connections.waiting.delete(begin);
}

function release(connections: OriginConnections): void {
  connections.taken -= 1;
  const [next] = connections.waiting;
  next?.();
}
