/** A Map that forgets its least recently used entry when it would grow beyond `maxEntries`. */
export function createBoundedMap<Value>(maxEntries: number) {
  const entries = new Map<string, Value>();

  function set(key: string, value: Value): void {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  }

  return {
    set,
    get(key: string): Value | undefined {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
  };
}
