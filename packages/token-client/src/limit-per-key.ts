/** Limits how much work runs at once per key. Further work waits in order. */

export type LimitPerKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/** @param atOnce how many pieces of work with the same key run at once. */
export function limitPerKey(atOnce: number): LimitPerKey {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>();

  function queueOf(key: string) {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    return queue;
  }

  return async (key, work) => {
    const queue = queueOf(key);
    if (queue.running < atOnce) queue.running += 1;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(key);
    }
  };
}
