/** Rejects with the signal's reason if the signal aborts first. Removes its listener. */
export function untilAborted<Value>(
  signal: AbortSignal,
  value: Value | Promise<Value>,
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
