/**
 * The texts of an alert: what happened, since when, how many, the worst, what happens next, and what an operator can
 * do.
 */
import type { Alert, AlertMessageKind, AlertRule } from '@dowel/admin-api';
import type { AlertNews } from '@dowel/installation-store';

/** The body of the webhook, described in docs/operations.md. The mail has the same text. */
export interface AlertMessage {
  type: `alert.${AlertMessageKind | 'test'}`;
  /** When the message was written. */
  timestamp: string;
  /** The whole message in words, for chat systems. */
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
  publicUrl: string;
  /** The display name of the plug-ins. */
  pluginName: string;
  now: () => number;
}

interface RuleText {
  title: string;
  next: string;
  todo: string;
  /** The page's path below the public URL. */
  path: string;
}

const minuteMs = 60_000;
const longestName = 200;

const renewal =
  'Dowel tries each token endpoint again and asks each platform for a new event, with pauses that grow to 15 minutes.';
const repair =
  'Look at the causes. Have a withdrawn scope granted again; otherwise ask for a new event, or have the plug-in installed again.';

const texts: Record<AlertRule, (alert: Alert) => RuleText> = {
  broken_for: ({ facts }) => {
    const [first] = facts.worst;
    const one = first ? plainLine(first.name) : 'An installation';
    const limit = `more than ${facts.limit ?? 0} min`;
    return {
      title:
        facts.count === 1
          ? `${one} has been broken for ${limit}`
          : `${countOf(facts)} installations have been broken for ${limit}`,
      next: renewal,
      todo: repair,
      path: '/admin/installations?group=broken',
    };
  },
  broken_share: ({ facts }) => ({
    title: `${countOf(facts)} of ${facts.of ?? 0} installations are broken, more than ${facts.limit ?? 0} %`,
    next: renewal,
    todo: `So many at once often have one cause: the network, a platform, or a change of yours. ${repair}`,
    path: '/admin/installations?group=broken',
  }),
  refused_burst: ({ facts }) => ({
    title: `${countOf(facts)} events and sessions a minute are refused`,
    next: 'Refused requests have no effect. Dowel limits each address, and accepts what the platform signed.',
    todo: 'If an issuer is yours, check DOWEL_TRUST and DOWEL_PLUGIN_IDS. Otherwise block the senders in front of Dowel.',
    path: '/admin/refused',
  }),
  hook_parked: ({ facts }) => ({
    title:
      facts.count === 1
        ? 'A hook delivery is parked'
        : `${countOf(facts)} hook deliveries are parked`,
    next: 'Nothing: parked deliveries are not tried again. Tokens are not affected.',
    todo: 'Fix the hook, then replay or drop the deliveries.',
    path: '/admin/hooks',
  }),
  key_unreadable: ({ subject }) => ({
    title: `The encryption key ${subject} is missing: stored values cannot be read`,
    next: 'Installations whose secrets it sealed fail until the key is back. No token is lost.',
    todo: 'Put the key back into the key file of each process (DOWEL_KEY_FILE), and restart it.',
    path: '/admin/keys',
  }),
};

export function composeMessage(context: MessageContext, { kind, alert }: AlertNews): AlertMessage {
  const { id, rule, subject, since, recoveredAt, facts, peak } = alert;
  const { title, path, ...advice } = texts[rule](alert);
  return compose(context, `alert.${kind}`, {
    alertId: id,
    rule,
    subject,
    title: recoveredAt === null ? title : `Recovered: ${title}`,
    since: new Date(since).toISOString(),
    recoveredAt: recoveredAt === null ? null : new Date(recoveredAt).toISOString(),
    count: facts.count,
    of: facts.of,
    peak,
    worst: facts.worst.map((each) => worstOf(rule, each)),
    ...(recoveredAt === null ? advice : nothing),
    url: `${context.publicUrl}${path}`,
  });
}

const nothing = { next: 'Nothing is needed.', todo: 'Nothing is needed.' };

export function composeTest(context: MessageContext): AlertMessage {
  return compose(context, 'alert.test', {
    alertId: null,
    rule: null,
    subject: '',
    title: 'Test: alerts of Dowel arrive here',
    since: null,
    recoveredAt: null,
    count: 0,
    of: null,
    peak: 0,
    worst: [],
    ...nothing,
    next: 'Nothing: an operator has sent this test.',
    url: `${context.publicUrl}/admin/alerts`,
  });
}

function compose(
  { now, pluginName }: MessageContext,
  type: AlertMessage['type'],
  data: Omit<AlertMessage['data'], 'plugin'>,
): AlertMessage {
  const message: AlertMessage = {
    type,
    timestamp: new Date(now()).toISOString(),
    text: '',
    data: { ...data, plugin: plainLine(pluginName) },
  };
  return { ...message, text: listLines(message).join('\n') };
}

function worstOf(
  rule: AlertRule,
  { installationId, name, detail, count, since }: Alert['facts']['worst'][number],
): AlertMessage['data']['worst'][number] {
  return {
    installationId,
    name: plainLine(name),
    detail: plainLine(count === null ? detail : countedText(rule, count)),
    since: since === null ? null : new Date(since).toISOString(),
  };
}

function countedText(rule: AlertRule, count: number): string {
  if (rule === 'refused_burst') return `${count} refused`;
  return count === 1 ? '1 installation' : `${count} installations`;
}

function listLines({ data, timestamp }: AlertMessage): string[] {
  const { title, since, recoveredAt, count, peak, worst, next, todo, url, plugin } = data;
  const lines = [`${title}.`];
  if (plugin !== '') lines.push(`Plug-in: ${plugin}.`);
  if (since !== null)
    lines.push(`Since ${shortTime(since)}, for ${spanOf(since, recoveredAt ?? timestamp)}.`);
  if (recoveredAt !== null)
    lines.push(`Over at ${shortTime(recoveredAt)}. At most ${peak} at once.`);
  if (recoveredAt === null && worst.length > 0) {
    lines.push('The worst:', ...worst.map(describeWorst));
    if (count > worst.length && data.rule === 'broken_for')
      lines.push(`… and ${count - worst.length} more.`);
  }
  if (recoveredAt === null) lines.push(`What happens next: ${next}`, `What you can do: ${todo}`);
  return [...lines, url];
}

function describeWorst({ name, detail, since }: AlertMessage['data']['worst'][number]): string {
  const begin = since === null ? '' : `, since ${shortTime(since)}`;
  return `- ${name}${detail === '' ? '' : `: ${detail}`}${begin}`;
}

function countOf({ count, isAtLeast }: Alert['facts']): string {
  return isAtLeast ? `More than ${count}` : String(count);
}

function shortTime(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
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
