/** Rejects with the signal's reason if the signal aborts first. Removes its listener. */
export function untilAborted<Value>(
  signal: AbortSignal,
  value: Value | Promise<Value>,
): Promise<Value> {
  const end = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), end);
  });
  return Promise.race([aborted, value]).finally(() => end.abort(0));
}
