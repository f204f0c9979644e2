/** The words of alert messages, in the languages of the dashboard. */
import type { Alert, AlertRule, DashboardLanguage } from '@dowel/admin-api';

interface RuleText {
  title: string;
  /** The next step of Dowel itself. */
  next: string;
  /** What an operator can do. */
  todo: string;
}

export interface AlertWords {
  /** Names of tenants in `facts` are in one line. */
  rules: Record<AlertRule, (alert: Pick<Alert, 'facts' | 'subject'>) => RuleText>;
  recovered: (title: string) => string;
  /** Of an alert that has ended, and of a test. */
  nothing: string;
  test: Pick<RuleText, 'title' | 'next'>;
  refused: (count: number) => string;
  installations: (count: number) => string;
  plugin: (name: string) => string;
  since: (time: string, span: string) => string;
  over: (time: string, peak: number) => string;
  worst: string;
  worstSince: (time: string) => string;
  more: (count: number) => string;
  next: (text: string) => string;
  todo: (text: string) => string;
}

const englishRenewal =
  'Dowel tries each token endpoint again and asks each platform for a new event, with pauses that grow to 15 minutes.';
const englishRepair =
  'Look at the causes. Have a withdrawn scope granted again; otherwise ask for a new event, or have the plug-in installed again.';
const germanRenewal =
  'Dowel versucht es an jedem Token-Endpunkt erneut und fordert von jeder Plattform ein neues Ereignis an, in Abständen von bis zu 15 Minuten.';
const germanRepair =
  'Prüfen Sie die Ursachen. Lassen Sie einen entzogenen Scope wieder erteilen; fordern Sie sonst ein neues Ereignis an oder lassen Sie das Plug-in neu installieren.';

const english: AlertWords = {
  rules: {
    broken_for: ({ facts }) => ({
      title:
        facts.count === 1
          ? `${facts.worst[0]?.name ?? 'An installation'} has been broken for more than ${facts.limit ?? 0} min`
          : `${atLeast('More than', facts)} installations have been broken for more than ${facts.limit ?? 0} min`,
      next: englishRenewal,
      todo: englishRepair,
    }),
    broken_share: ({ facts }) => ({
      title: `${atLeast('More than', facts)} of ${facts.of ?? 0} installations are broken, more than ${facts.limit ?? 0} %`,
      next: englishRenewal,
      todo: `So many at once often have one cause: the network, a platform, or a change of yours. ${englishRepair}`,
    }),
    refused_burst: ({ facts }) => ({
      title: `${atLeast('More than', facts)} events and sessions a minute are refused`,
      next: 'Refused requests have no effect. Dowel limits each address, and accepts what the platform signed.',
      todo: 'If an issuer is yours, check DOWEL_TRUST and DOWEL_PLUGIN_IDS. Otherwise block the senders in front of Dowel.',
    }),
    hook_parked: ({ facts }) => ({
      title:
        facts.count === 1
          ? 'A hook delivery is parked'
          : `${atLeast('More than', facts)} hook deliveries are parked`,
      next: 'Nothing: parked deliveries are not tried again. Tokens are not affected.',
      todo: 'Fix the hook, then replay or drop the deliveries.',
    }),
    key_unreadable: ({ subject }) => ({
      title: `The encryption key ${subject} is missing: stored values cannot be read`,
      next: 'Installations whose secrets it encrypts fail until the key is back. No token is lost.',
      todo: 'Put the key back into the key file of each process (DOWEL_KEY_FILE), and restart it.',
    }),
  },
  recovered: (title) => `Recovered: ${title}`,
  nothing: 'Nothing is needed.',
  test: {
    title: 'Test: alerts of Dowel arrive here',
    next: 'Nothing: an operator has sent this test.',
  },
  refused: (count) => `${count} refused`,
  installations: (count) => (count === 1 ? '1 installation' : `${count} installations`),
  plugin: (name) => `Plug-in: ${name}.`,
  since: (time, span) => `Since ${time}, for ${span}.`,
  over: (time, peak) => `Over at ${time}. At most ${peak} at once.`,
  worst: 'The worst:',
  worstSince: (time) => `since ${time}`,
  more: (count) => `… and ${count} more.`,
  next: (text) => `What happens next: ${text}`,
  todo: (text) => `What you can do: ${text}`,
};

const german: AlertWords = {
  rules: {
    broken_for: ({ facts }) => ({
      title:
        facts.count === 1
          ? `${facts.worst[0]?.name ?? 'Eine Installation'} ist seit mehr als ${facts.limit ?? 0} min gestört`
          : `${atLeast('Mehr als', facts)} Installationen sind seit mehr als ${facts.limit ?? 0} min gestört`,
      next: germanRenewal,
      todo: germanRepair,
    }),
    broken_share: ({ facts }) => ({
      title: `${atLeast('Mehr als', facts)} von ${facts.of ?? 0} Installationen sind gestört, mehr als ${facts.limit ?? 0} %`,
      next: germanRenewal,
      todo: `So viele zugleich haben oft eine gemeinsame Ursache: das Netzwerk, eine Plattform oder eine eigene Änderung. ${germanRepair}`,
    }),
    refused_burst: ({ facts }) => ({
      title: `${atLeast('Mehr als', facts)} Ereignisse und Sitzungen je Minute werden abgewiesen`,
      next: 'Abgewiesene Anfragen haben keine Wirkung. Dowel begrenzt jede Adresse und nimmt an, was die Plattform signiert hat.',
      todo: 'Gehört ein Aussteller zu Ihnen, prüfen Sie DOWEL_TRUST und DOWEL_PLUGIN_IDS. Sperren Sie andernfalls die Absender vor Dowel.',
    }),
    hook_parked: ({ facts }) => ({
      title:
        facts.count === 1
          ? 'Eine Hook-Zustellung ist angehalten'
          : `${atLeast('Mehr als', facts)} Hook-Zustellungen sind angehalten`,
      next: 'Nichts: Angehaltene Zustellungen werden nicht erneut versucht. Token sind nicht betroffen.',
      todo: 'Beheben Sie den Fehler im Hook. Wiederholen oder verwerfen Sie dann die Zustellungen.',
    }),
    key_unreadable: ({ subject }) => ({
      title: `Der Schlüssel ${subject} fehlt: Gespeicherte Werte sind nicht lesbar`,
      next: 'Installationen, deren Geheimnisse er verschlüsselt, schlagen fehl, bis der Schlüssel wieder da ist. Es geht kein Token verloren.',
      todo: 'Tragen Sie den Schlüssel wieder in die Schlüsseldatei jedes Prozesses ein (DOWEL_KEY_FILE) und starten Sie ihn neu.',
    }),
  },
  recovered: (title) => `Beendet: ${title}`,
  nothing: 'Es ist nichts zu tun.',
  test: {
    title: 'Test: Alarme von Dowel kommen hier an',
    next: 'Nichts: Ein Operator hat diesen Test gesendet.',
  },
  refused: (count) => `${count} abgewiesen`,
  installations: (count) => (count === 1 ? '1 Installation' : `${count} Installationen`),
  plugin: (name) => `Plug-in: ${name}.`,
  since: (time, span) => `Seit ${time}, Dauer: ${span}.`,
  over: (time, peak) => `Beendet: ${time}. Höchststand: ${peak}.`,
  worst: 'Am stärksten betroffen:',
  worstSince: (time) => `seit ${time}`,
  more: (count) => `… und ${count} weitere.`,
  next: (text) => `Wie es weitergeht: ${text}`,
  todo: (text) => `Was Sie tun können: ${text}`,
};

export const alertWords: Readonly<Record<DashboardLanguage, AlertWords>> = {
  en: english,
  de: german,
};

function atLeast(moreThan: string, { count, isAtLeast }: Alert['facts']): string {
  return isAtLeast ? `${moreThan} ${count}` : String(count);
}
