/**
 * The message of an alert: what happened, since when, how many, the worst, what happens next, and what an operator can
 * do, in the language and the time zone of the settings.
 */
import type { Alert, AlertMessageKind, AlertRule } from '@dowel/admin-api';
import type { AlertNews } from '@dowel/installation-store';
import type { AlertSettings } from './alert-settings.ts';
import { type AlertWords, alertWords } from './alert-words.ts';

/** The body of the webhook, described in docs/operations.md. The mail has the same text. */
export interface AlertMessage {
  type: `alert.${AlertMessageKind | 'test'}`;
  /** When the message was written. */
  timestamp: string;
  /** The whole message in words, for chat systems. This, `title`, `next`, `todo` and counts in `worst` are in the language. */
  text: string;
  data: {
    /** The same for all messages of an alert; null for a test. */
    alertId: string | null;
    rule: AlertRule | null;
    subject: string;
    title: string;
    since: string | null;
    recoveredAt: string | null;
    count: number;
    of: number | null;
    peak: number;
    worst: { installationId: string | null; name: string; detail: string; since: string | null }[];
    /** The next step of Dowel itself. */
    next: string;
    /** What an operator can do. */
    todo: string;
    /** The page of the dashboard. */
    url: string;
    /** Empty in a test message of the command `dowel`, which reads no manifest. */
    plugin: string;
  };
}

export interface MessageContext {
  settings: Pick<AlertSettings, 'language' | 'timeZone'>;
  publicUrl: string;
  /** The display name of the plug-ins. */
  pluginName: string;
  now: () => number;
}

const minuteMs = 60_000;
const longestName = 200;

/** The pages' paths below the public URL. */
const paths: Readonly<Record<AlertRule, string>> = {
  broken_for: '/admin/installations?group=broken',
  broken_share: '/admin/installations?group=broken',
  refused_burst: '/admin/events?outcome=refused',
  hook_parked: '/admin/hooks',
  key_unreadable: '/admin/keys',
};

export function composeMessage(context: MessageContext, { kind, alert }: AlertNews): AlertMessage {
  const { id, rule, subject, since, recoveredAt, peak } = alert;
  const words = wordsOf(context);
  const worst = alert.facts.worst.map((each) => ({ ...each, name: plainLine(each.name) }));
  const facts = { ...alert.facts, worst };
  const { title, ...advice } = words.rules[rule]({ facts, subject });
  return compose(context, `alert.${kind}`, {
    alertId: id,
    rule,
    subject,
    title: recoveredAt === null ? title : words.recovered(title),
    since: new Date(since).toISOString(),
    recoveredAt: recoveredAt === null ? null : new Date(recoveredAt).toISOString(),
    count: facts.count,
    of: facts.of,
    peak,
    worst: facts.worst.map((each) => worstOf(words, rule, each)),
    ...(recoveredAt === null ? advice : { next: words.nothing, todo: words.nothing }),
    url: `${context.publicUrl}${paths[rule]}`,
  });
}

export function composeTest(context: MessageContext): AlertMessage {
  const { test, nothing } = wordsOf(context);
  return compose(context, 'alert.test', {
    alertId: null,
    rule: null,
    subject: '',
    since: null,
    recoveredAt: null,
    count: 0,
    of: null,
    peak: 0,
    worst: [],
    ...test,
    todo: nothing,
    url: `${context.publicUrl}/admin/alerts`,
  });
}

function wordsOf({ settings }: MessageContext): AlertWords {
  return alertWords[settings.language];
}

function compose(
  context: MessageContext,
  type: AlertMessage['type'],
  data: Omit<AlertMessage['data'], 'plugin'>,
): AlertMessage {
  const { now, pluginName } = context;
  const message: AlertMessage = {
    type,
    timestamp: new Date(now()).toISOString(),
    text: '',
    data: { ...data, plugin: plainLine(pluginName) },
  };
  return { ...message, text: listLines(context, message).join('\n') };
}

function worstOf(
  words: AlertWords,
  rule: AlertRule,
  { installationId, name, detail, count, since }: Alert['facts']['worst'][number],
): AlertMessage['data']['worst'][number] {
  const counted = rule === 'refused_burst' ? words.refused : words.installations;
  return {
    installationId,
    name,
    detail: plainLine(count === null ? detail : counted(count)),
    since: since === null ? null : new Date(since).toISOString(),
  };
}

function listLines(context: MessageContext, { data, timestamp }: AlertMessage): string[] {
  const { title, since, recoveredAt, count, peak, worst, next, todo, url, plugin } = data;
  const words = wordsOf(context);
  const time = timeFormatOf(context);
  const lines = [`${title}.`];
  if (plugin !== '') lines.push(words.plugin(plugin));
  if (since !== null) {
    lines.push(words.since(time(since), spanOf(since, recoveredAt ?? timestamp)));
  }
  if (recoveredAt !== null) return [...lines, words.over(time(recoveredAt), peak), url];
  if (worst.length > 0) {
    lines.push(words.worst);
    for (const { name, detail, since: begin } of worst) {
      const what = detail === '' ? name : `${name}: ${detail}`;
      lines.push(
        `- ${[what, ...(begin === null ? [] : [words.worstSince(time(begin))])].join(', ')}`,
      );
    }
    if (count > worst.length && data.rule === 'broken_for') {
      lines.push(words.more(count - worst.length));
    }
  }
  return [...lines, words.next(next), words.todo(todo), url];
}

/** Formats as the dashboard does: `22 Nov 2026, 13:47 CET`. */
function timeFormatOf({ settings: { language, timeZone } }: MessageContext) {
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  });
  return (iso: string) => format.format(new Date(iso));
}

function spanOf(from: string, to: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / minuteMs));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Removes line breaks and control characters, so a name cannot add a line or header. */
export function plainLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, longestName);
}
