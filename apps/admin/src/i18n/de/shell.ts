/** The frame, failures and times, in German. */
import type { shell as english } from '../en/shell.ts';
import type { Texts } from '../texts.ts';

export const shell: Texts<typeof english> = {
  language: {
    title: 'Sprache',
    notLoaded:
      'Die Texte konnten nicht geladen werden. Prüfen Sie die Verbindung und wählen Sie noch einmal.',
  },
  nav: {
    main: 'Hauptnavigation',
    overview: 'Übersicht',
    installations: 'Installationen',
    calls: 'Aufrufe',
    events: 'Ereignisse',
    hooks: 'Hooks',
    alerts: 'Alarme',
    keys: 'Schlüssel & Vertrauen',
    audit: 'Protokoll',
    people: 'Benutzer',
    settings: 'Einstellungen',
    more: 'Mehr',
    skip: 'Zum Inhalt springen',
    side: 'Navigation und Einstellungen',
  },
  shell: {
    appearance: 'Darstellung',
    signOut: 'Abmelden',
    scheme: 'Farbschema',
    light: 'Hell',
    dark: 'Dunkel',
    auto: 'Automatisch',
    live: 'Live',
    connecting: 'Verbindung wird hergestellt …',
    cutOff: 'Nicht live seit {{time}}',
    asOf: 'Stand {{time}}: Zustände, Zahlen und Zeiten können sich seitdem geändert haben.',
    notFoundTitle: 'Nicht gefunden',
    notFound: 'Diese Seite gibt es nicht',
    allInstallations: 'Alle Installationen',
    notAvailable: 'Nicht verfügbar',
    partMissing:
      'Dieser Teil konnte nicht geladen werden, möglicherweise weil Dowel aktualisiert wurde. Laden Sie die Seite neu.',
    loadAgain: 'Neu laden',
    older: 'Ältere anzeigen',
    startFailed: 'Das Dashboard kann nicht geladen werden',
    pageNotLoaded: 'Diese Seite kann nicht geladen werden',
    pageFailed: 'Auf dieser Seite ist ein Fehler aufgetreten',
  },
  role: { viewer: 'Betrachter', operator: 'Operator', owner: 'Eigentümer' },
  dialog: { cancel: 'Abbrechen', close: 'Schließen' },
  failure: {
    tryAgain: 'Erneut versuchen',
    requestId: 'Anfrage-ID: {{requestId}}',
    unreachable: 'Dowel antwortet nicht. Prüfen Sie, ob der Server läuft.',
    answerInvalid:
      'Dowel hat eine Antwort gesendet, die diese Seite nicht versteht. Laden Sie die Seite neu.',
    status: 'Dowel hat mit {{status}} geantwortet.',
    unknown: 'Fehlgeschlagen, Ursache unbekannt.',
  },
  time: {
    days: '{{days}} T {{hours}} h',
    hours: '{{hours}} h {{minutes}} min',
    minutes: '{{minutes}} min',
    seconds: '{{seconds}} s',
  },
};
