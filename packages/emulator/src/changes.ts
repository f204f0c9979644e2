/** Tells open pages what to load again. */
type Change = 'plugins' | 'notifications';

export interface Changes {
  /** The tenant's installations, deliveries or tokens changed. */
  publishPlugins(tenantId: string): void;
  publishNotifications(userId: string): void;
  /** Returns the function that ends the subscription. */
  subscribe(
    who: { tenantId: string; userId: string },
    listener: (change: Change) => void,
  ): () => void;
}

export function createChanges(): Changes {
  const subscriptions = new Set<{
    tenantId: string;
    userId: string;
    listener: (change: Change) => void;
  }>();
  return {
    publishPlugins(tenantId) {
      for (const each of subscriptions) if (each.tenantId === tenantId) each.listener('plugins');
    },
    publishNotifications(userId) {
      for (const each of subscriptions) if (each.userId === userId) each.listener('notifications');
    },
    subscribe(who, listener) {
      const subscription = { ...who, listener };
      subscriptions.add(subscription);
      return () => subscriptions.delete(subscription);
    },
  };
}
