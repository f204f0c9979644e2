/** The configuration of alerts: rules and receivers. */
import { type AlertRule, alertRuleSchema, type DashboardLanguage } from '@dowel/admin-api';
import { isSecure, Secret } from '@dowel/schema';
import { splitList } from '../base/split-list.ts';

export interface WebhookSettings {
  /** A path may be a secret of the receiver. */
  url: Secret;
  /** The key of HMAC-SHA256 that signs the requests. */
  key: Secret;
}

export interface MailServer {
  host: string;
  port: number;
  /** True: TLS from the first byte. False: STARTTLS is required, except for a server on this machine. */
  isTls: boolean;
  user: string | undefined;
  password: Secret | undefined;
}

export interface MailSettings {
  server: MailServer;
  from: string;
  to: readonly string[];
}

export interface AlertSettings {
  rules: readonly AlertRule[];
  /** Alert when an installation is broken for longer. */
  brokenForMs: number;
  /** Alert when more of the installations that should work are broken, in percent. */
  brokenPercent: number;
  /** Alert when more are refused in a minute, as the mean of five minutes. */
  refusedPerMinute: number;
  /** Of the messages by webhook and mail. */
  language: DashboardLanguage;
  /** A name of IANA, such as `Europe/Berlin`. */
  timeZone: string;
  webhook: WebhookSettings | undefined;
  mail: MailSettings | undefined;
}

export const defaultAlertSettings: AlertSettings = {
  rules: alertRuleSchema.options,
  brokenForMs: 15 * 60_000,
  brokenPercent: 5,
  refusedPerMinute: 60,
  language: 'en',
  timeZone: 'UTC',
  webhook: undefined,
  mail: undefined,
};

const prefix = 'whsec_';

/** @throws TypeError whose message names the rules */
export function parseAlertRules(text: string): AlertRule[] {
  const names = splitList(text);
  const rules = alertRuleSchema.array().safeParse(names.join() === 'none' ? [] : names);
  if (!rules.success) {
    const known = alertRuleSchema.options.join(', ');
    throw new TypeError(`must be none, or rules separated by commas: ${known}`);
  }
  return rules.data;
}

/** @throws TypeError if this system does not know the time zone */
export function parseTimeZone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new TypeError('must be a time zone, such as Europe/Berlin or UTC');
  }
}

/** @throws TypeError whose message says what the URL must be, without the URL */
export function parseWebhookUrl(text: string): Secret {
  const url = URL.parse(text);
  if (!url || !isSecure(url) || url.username || url.password || url.hash) {
    throw new TypeError(
      'must be an https URL without user and fragment, such as https://hooks.example.com/dowel',
    );
  }
  return new Secret(url.href);
}

/** @throws TypeError whose message says what the secret must be, without the secret */
export function parseWebhookSecret(text: string): Secret {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  const key = Buffer.from(encoded, 'base64');
  const isPlain = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (!isPlain || key.length < 24 || key.length > 64) {
    throw new TypeError(
      `must be ${prefix} and 24 to 64 random bytes in base64; make one with: node -p '"${prefix}"+crypto.randomBytes(32).toString("base64")'`,
    );
  }
  return new Secret(text);
}

/** @throws TypeError whose message says what the URL must be, without the URL */
export function parseSmtpUrl(text: string): MailServer {
  const url = URL.parse(text);
  const isKnown = url?.protocol === 'smtp:' || url?.protocol === 'smtps:';
  const isPlain = url?.pathname.replace('/', '') === '' && !url.search && !url.hash;
  const user = decode(url?.username ?? '');
  const password = decode(url?.password ?? '');
  if (!url || !isKnown || !isPlain || !url.hostname || user === null || password === null) {
    throw new TypeError(
      'must be the URL of a mail server, such as smtps://user:password@mail.example.com:465, or smtp://… for STARTTLS at port 587; special characters of user and password are percent-encoded',
    );
  }
  if ((user === '') !== (password === '')) {
    throw new TypeError('must have both a user and a password, or neither');
  }
  const isTls = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    isTls,
    user: user || undefined,
    password: password ? new Secret(password) : undefined,
  };
}

/** Null: it is not percent-encoded. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The webhook's address without its path, which may be a secret. */
export function describeWebhook({ url }: WebhookSettings): string {
  return new URL(url.reveal()).origin;
}

export function describeMailServer({ host, port, isTls, user }: MailServer): string {
  const name = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${isTls ? 'smtps' : 'smtp'}://${name}${shown}:${port}`;
}

/** The rules that are on, with their limits: minutes, percent, or a number a minute. */
export function alertLimits(settings: AlertSettings): { rule: AlertRule; limit: number | null }[] {
  const limits: Partial<Record<AlertRule, number>> = {
    broken_for: settings.brokenForMs / 60_000,
    broken_share: settings.brokenPercent,
    refused_burst: settings.refusedPerMinute,
  };
  return settings.rules.map((rule) => ({ rule, limit: limits[rule] ?? null }));
}
