/** The port for reading installations with their history. Contains no secrets; points in time are epoch milliseconds. */
import type { EventRecord, InstallationStatus, TokenOperation } from '@dowel/schema';

/** One plug-in in one tenant, identified by issuer, tenant and plug-in together. */
export interface InstallationSummary {
  /** Our own id; the platform does not know it. */
  id: string;
  /** `iss` of its events: the tenant's URL. */
  issuer: string;
  tenantId: string;
  pluginId: string;
  status: InstallationStatus;
  /** The number of the installation's life. */
  generation: number;
  /** The scopes of the current token set; empty without one. */
  grantedScopes: string[];
  /** About the current token set, never the token itself; null without one. */
  accessToken: {
    /** Counts up with every token set. */
    version: number;
    issuedAt: number;
    /** From the platform; null if it did not name one. */
    expiresAt: number | null;
  } | null;
  hasRefreshToken: boolean;
  /** Placed widgets. For an uninstalled plug-in, those that it had. */
  instanceCount: number;
  createdAt: number;
  lastEvent: EventRecord | null;
  /** Since the last access token. */
  lastError: { reason: string; at: number } | null;
}

/**
 * A status, or `attention`: installations that an operator should check, because they have no access token
 * that can be refreshed, or had an error since the last one arrived.
 */
export type InstallationFilter = InstallationStatus | 'attention';

export interface InstallationListQuery {
  /** 1 to 200. */
  limit: number;
  /** `next` of the previous page; opaque, and valid only with the same status and search. */
  after?: string | undefined;
  status?: InstallationFilter | undefined;
  /** The whole id of a tenant or plug-in, or the beginning of an issuer, with or without its scheme. */
  search?: string | undefined;
}

export interface InstallationPage {
  installations: InstallationSummary[];
  /** `after` of the next page; null on the last one. */
  next: string | null;
}

/** The newest events and operations first, at most 200 of each. */
export interface InstallationReport {
  installation: InstallationSummary;
  instanceIds: string[];
  events: EventRecord[];
  tokenOperations: TokenOperation[];
}

export interface InstallationReports {
  /** The newest first, or ordered by issuer when an issuer is searched. @throws StoreError `CURSOR_INVALID`. */
  listInstallations(query: InstallationListQuery): Promise<InstallationPage>;
  describeInstallation(id: string): Promise<InstallationReport | undefined>;
}
