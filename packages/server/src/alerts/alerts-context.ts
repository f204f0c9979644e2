/** The context that the functions of alerts share. */
import type { AlertChannel } from '@dowel/admin-api';
import { systemTimer, type Timer } from '@dowel/http';
import type { Store } from '@dowel/installation-store';
import type { DatabaseState } from '../base/database-state.ts';
import type { Log } from '../log/log.ts';
import type { Channel } from './alert-channel.ts';
import { type AlertSettings, defaultAlertSettings } from './alert-settings.ts';
import { createMailChannel } from './mail-channel.ts';
import { createWebhookChannel } from './webhook-channel.ts';

export interface AlertsOptions {
  settings?: AlertSettings | undefined;
  store: Store;
  publicUrl: string;
  /** The display name of the plug-ins. */
  pluginName: string;
  /** Origins that may have private addresses. */
  internalOrigins: readonly string[];
  database: Pick<DatabaseState, 'isAvailable'>;
  logger: Pick<Log, 'info' | 'warn' | 'error'>;
  now: () => number;
  /** Default: the system's. */
  timer?: Timer | undefined;
  /** From 0 to less than 1. Default `Math.random`. */
  random?: (() => number) | undefined;
}

export interface AlertsContext extends AlertsOptions {
  settings: AlertSettings;
  /** The configured channels. */
  channels: readonly Channel[];
  timer: Timer;
  random: () => number;
  /** The evaluation under way. */
  checking: Promise<void> | undefined;
  /** The attempts under way, by channel. */
  sending: Map<AlertChannel, Promise<number>>;
  /** Aborted when no attempt may begin any more. */
  draining: AbortController;
  /** Aborted when running attempts must end. */
  closing: AbortController;
}

/** Creates the context of `checkAlerts` and `deliverAlerts`. Sends nothing. */
export function createAlertsContext(options: AlertsOptions): AlertsContext {
  const { settings = defaultAlertSettings, timer = systemTimer, random = Math.random } = options;
  return {
    ...options,
    settings,
    channels: createChannels(options, settings),
    timer,
    random,
    checking: undefined,
    sending: new Map(),
    draining: new AbortController(),
    closing: new AbortController(),
  };
}

function createChannels(
  { internalOrigins, publicUrl, now }: AlertsOptions,
  { webhook, mail }: AlertSettings,
): Channel[] {
  return [
    ...(webhook ? [createWebhookChannel({ settings: webhook, internalOrigins, now })] : []),
    ...(mail ? [createMailChannel({ settings: mail, publicUrl })] : []),
  ];
}
