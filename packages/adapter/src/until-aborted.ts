/** Rejects with the signal's reason if the signal aborts first. Removes its listener. */
export function untilAborted<Value>(
  signal: AbortSignal,
  value: Value | Promise<Value>,
): Promise<Value> {
  // Its signal removes the listener.
  const end = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), end);
  });
  // With a reason, or the browser would create an error with a stack.
  return Promise.race([aborted, value]).finally(() => end.abort(0));
}
