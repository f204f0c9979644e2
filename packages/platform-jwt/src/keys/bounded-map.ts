/** A Map that forgets its least recently used entry when it would grow beyond `maxEntries`. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export function createBoundedMap<Value>(maxEntries: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();

  function set(key: string, value: Value): void {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  }

  return {
    set,
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    delete: (key) => void entries.delete(key),
  };
}
