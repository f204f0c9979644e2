/** Notifies open pages of data to load again, and the owner of the state of changes. */
type Change = 'plugins' | 'exchanges' | 'faults' | 'notifications';

export interface Changes {
  /** The tenant's installations or tokens changed. */
  publishPlugins(tenantId: string): void;
  /** The tenant's list of requests changed. */
  publishExchanges(tenantId: string): void;
  /** Faults began or ended. They are no part of the state. */
  publishFaults(): void;
  publishNotifications(userId: string): void;
  /** Something changed that no page shows, such as the signing key or a session. */
  publishState(): void;
  /** Returns the function that ends the subscription. */
  subscribe(
    who: { tenantId: string; userId: string },
    listener: (change: Change) => void,
  ): () => void;
}

/** @param onStateChange called after each change of the state. */
export function createChanges(onStateChange: () => void): Changes {
  const subscriptions = new Set<{
    tenantId: string;
    userId: string;
    listener: (change: Change) => void;
  }>();
  return {
    publishPlugins(tenantId) {
      for (const each of subscriptions) if (each.tenantId === tenantId) each.listener('plugins');
      onStateChange();
    },
    publishExchanges(tenantId) {
      for (const each of subscriptions) if (each.tenantId === tenantId) each.listener('exchanges');
      onStateChange();
    },
    publishFaults() {
      for (const each of subscriptions) each.listener('faults');
    },
    publishNotifications(userId) {
      for (const each of subscriptions) if (each.userId === userId) each.listener('notifications');
      onStateChange();
    },
    publishState: onStateChange,
    subscribe(who, listener) {
      const subscription = { ...who, listener };
      subscriptions.add(subscription);
      return () => subscriptions.delete(subscription);
    },
  };
}
