/** All texts of the page, in English and German. */
export interface Texts {
  language: string;
  /** The plug-in's, as in the manifest. */
  name: string;
  greeting(name: string): string;
  stranger: string;
  connecting: string;
  openingSession: string;
  formTitle: string;
  settingsTitle: string;
  introLabel: string;
  introHint: string;
  recipientLabel: string;
  recipientHint: string;
  settingsSaved: string;
  settingsNotSaved: string;
  saveHint: string;
  emailLabel: string;
  emailHint: string;
  emailInvalid: string;
  messageLabel: string;
  messageHint: string;
  messageMissing: string;
  characters(used: number, most: number): string;
  send: string;
  sending: string;
  sent(email: string): string;
  retry: string;
  details: string;
  /** Problem → what happened, what to do. */
  problems: Record<ProblemName, readonly [what: string, advice: string]>;
  inSeconds(seconds: number): string;
}

export type ProblemName =
  | 'clock'
  | 'forbidden'
  | 'insecure'
  | 'invalid'
  | 'keyNotLoaded'
  | 'keyNotTrusted'
  | 'network'
  | 'notEmbedded'
  | 'other'
  | 'renewing'
  | 'session'
  | 'settings'
  | 'timeout'
  | 'tooMany'
  | 'untrusted';

const english: Texts = {
  language: 'en',
  name: 'Nudge',
  greeting: (name) => `Hello, ${name}`,
  stranger: 'Hello',
  connecting: 'Connecting to the platform…',
  openingSession: 'Signing you in…',
  formTitle: 'Notify a colleague',
  settingsTitle: 'What this widget shows',
  introLabel: 'Words above the form',
  introHint: 'Cheer somebody up!',
  recipientLabel: 'Suggested recipient',
  recipientHint: 'name@company.com, or empty',
  settingsSaved: 'Saved.',
  settingsNotSaved: 'Not saved. Fix the marked fields.',
  saveHint: "Press the platform's save button when you are done.",
  emailLabel: "Colleague's email",
  emailHint: 'name@company.com',
  emailInvalid: 'Enter an email address, such as name@company.com.',
  messageLabel: 'Message',
  messageHint: 'What should they know?',
  messageMissing: 'Write a message first.',
  characters: (used, most) => `${used} of ${most} characters`,
  send: 'Send notification',
  sending: 'Sending…',
  sent: (email) => `Notification sent to ${email}.`,
  retry: 'Try again',
  details: 'Details',
  inSeconds: (seconds) => `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  problems: {
    clock: ["This device's clock is wrong", 'Set date and time automatically, then try again.'],
    forbidden: ['This is not allowed', 'Ask your administrator about this plug-in.'],
    insecure: ['The connection is not secure', 'Open the platform by an address with https.'],
    invalid: ['This was not accepted', 'Check the email address and the message, then try again.'],
    keyNotLoaded: ["The platform's key could not be loaded", 'Try again in a minute.'],
    keyNotTrusted: ["The platform's key is unknown to this plug-in", 'Tell your administrator.'],
    network: ['The plug-in cannot be reached', 'Check your connection, then try again.'],
    notEmbedded: [
      'Open this page inside the platform',
      'It works only where the platform shows it.',
    ],
    other: [
      'Something went wrong',
      'Try again later. If it happens again, tell your administrator.',
    ],
    renewing: ["The platform is renewing this plug-in's access", 'Try again in a moment.'],
    session: ['Your session has ended', 'Reload the page to sign in again.'],
    settings: [
      'The settings of this widget cannot be read',
      'Ask your administrator to save them again.',
    ],
    timeout: ['The platform did not answer', 'Check your connection, then try again.'],
    tooMany: ['That was too fast', 'Wait a moment, then try again.'],
    untrusted: [
      "The platform's answer cannot be trusted",
      'Try again, or tell your administrator.',
    ],
  },
};

const german: Texts = {
  language: 'de',
  name: 'Anstupser',
  greeting: (name) => `Hallo, ${name}`,
  stranger: 'Hallo',
  connecting: 'Verbindung zur Plattform wird aufgebaut …',
  openingSession: 'Sie werden angemeldet …',
  formTitle: 'Jemanden benachrichtigen',
  settingsTitle: 'Was dieses Widget zeigt',
  introLabel: 'Text über dem Formular',
  introHint: 'Machen Sie jemandem eine Freude!',
  recipientLabel: 'Vorgeschlagener Empfänger',
  recipientHint: 'name@firma.de, oder leer',
  settingsSaved: 'Gespeichert.',
  settingsNotSaved: 'Nicht gespeichert. Korrigieren Sie die markierten Felder.',
  saveHint: 'Wählen Sie „Speichern“ auf der Plattform, wenn Sie fertig sind.',
  emailLabel: 'E-Mail-Adresse der Person',
  emailHint: 'name@firma.de',
  emailInvalid: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@firma.de.',
  messageLabel: 'Nachricht',
  messageHint: 'Was möchten Sie mitteilen?',
  messageMissing: 'Schreiben Sie zuerst eine Nachricht.',
  characters: (used, most) => `${used} von ${most} Zeichen`,
  send: 'Benachrichtigung senden',
  sending: 'Wird gesendet …',
  sent: (email) => `Benachrichtigung an ${email} gesendet.`,
  retry: 'Erneut versuchen',
  details: 'Einzelheiten',
  inSeconds: (seconds) =>
    `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} erneut.`,
  problems: {
    clock: [
      'Die Uhr dieses Geräts geht falsch',
      'Stellen Sie Datum und Uhrzeit auf automatisch und versuchen Sie es erneut.',
    ],
    forbidden: ['Das ist nicht erlaubt', 'Fragen Sie Ihre Administration nach diesem Plug-in.'],
    insecure: [
      'Die Verbindung ist nicht sicher',
      'Öffnen Sie die Plattform über eine Adresse mit https.',
    ],
    invalid: [
      'Die Eingabe wurde nicht angenommen',
      'Prüfen Sie E-Mail-Adresse und Nachricht und versuchen Sie es erneut.',
    ],
    keyNotLoaded: [
      'Der Schlüssel der Plattform konnte nicht geladen werden',
      'Versuchen Sie es in einer Minute erneut.',
    ],
    keyNotTrusted: [
      'Das Plug-in kennt den Schlüssel der Plattform nicht',
      'Informieren Sie Ihre Administration.',
    ],
    network: [
      'Das Plug-in ist nicht erreichbar',
      'Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    ],
    notEmbedded: [
      'Öffnen Sie diese Seite in der Plattform',
      'Sie funktioniert nur dort, wo die Plattform sie zeigt.',
    ],
    other: [
      'Ein Fehler ist aufgetreten',
      'Versuchen Sie es später erneut. Bleibt der Fehler, informieren Sie Ihre Administration.',
    ],
    renewing: [
      'Die Plattform erneuert gerade den Zugriff dieses Plug-ins',
      'Versuchen Sie es gleich noch einmal.',
    ],
    session: ['Ihre Sitzung ist beendet', 'Laden Sie die Seite neu, um sich wieder anzumelden.'],
    settings: [
      'Die Einstellungen dieses Widgets sind nicht lesbar',
      'Bitten Sie Ihre Administration, sie noch einmal zu speichern.',
    ],
    timeout: [
      'Die Plattform hat nicht geantwortet',
      'Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    ],
    tooMany: ['Das war zu schnell', 'Warten Sie einen Moment und versuchen Sie es dann erneut.'],
    untrusted: [
      'Die Antwort der Plattform ist nicht vertrauenswürdig',
      'Versuchen Sie es erneut oder informieren Sie Ihre Administration.',
    ],
  },
};

/** German for `de` and every regional German, English for the rest. */
export function textsFor(language: string | undefined): Texts {
  return /^de\b/i.test(language ?? '') ? german : english;
}
