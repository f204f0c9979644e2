/** How many notifications sessions, users, tenants and this process may send in a minute (row H12). */
export interface NotificationLimits {
  /** Of one session, which is one page of a user. Default: as many as of a user. */
  perSession?: number | undefined;
  /** Of one user of a tenant, over all sessions. */
  perUser: number;
  /** Of one plug-in in one tenant. */
  perTenant: number;
  /** Of all tenants together. */
  perProcess: number;
}

export const defaultNotificationLimits: NotificationLimits = {
  perUser: 60,
  perTenant: 600,
  perProcess: 6_000,
};
