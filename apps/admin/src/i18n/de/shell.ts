/** The frame, failures and times, in German. */
import type { shell as english } from '../en/shell.ts';
import type { Texts } from '../texts.ts';

export const shell: Texts<typeof english> = {
  language: {
    title: 'Sprache',
    notLoaded:
      'Die Texte ließen sich nicht laden. Bitte die Verbindung prüfen und noch einmal wählen.',
  },
  nav: {
    main: 'Hauptnavigation',
    overview: 'Übersicht',
    installations: 'Installationen',
    refused: 'Abgewiesen',
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
    auto: 'Auto',
    live: 'Live',
    connecting: 'Verbindet…',
    cutOff: 'Nicht live seit {{time}}',
    asOf: 'Stand {{time}}: Zustände, Zahlen und Zeiten können seither anders sein.',
    notFoundTitle: 'Nicht gefunden',
    notFound: 'Diese Seite gibt es nicht',
    allInstallations: 'Alle Installationen',
    notAvailable: 'Nicht verfügbar',
    partMissing:
      'Dieser Teil ließ sich nicht laden, vielleicht weil Dowel aktualisiert wurde. Laden Sie die Seite neu.',
    loadAgain: 'Neu laden',
    older: 'Ältere zeigen',
    startFailed: 'Das Dashboard kann nicht geladen werden',
    pageNotLoaded: 'Diese Seite kann nicht geladen werden',
    pageFailed: 'Auf dieser Seite ist ein Fehler aufgetreten',
  },
  role: { viewer: 'Betrachter', operator: 'Operator', owner: 'Eigentümer' },
  dialog: { cancel: 'Abbrechen', close: 'Schließen' },
  failure: {
    tryAgain: 'Erneut versuchen',
    requestId: 'Anfrage-ID: {{requestId}}',
    unreachable: 'Dowel antwortet nicht. Läuft es?',
    answerInvalid:
      'Dowel gab eine Antwort, die diese Seite nicht versteht. Laden Sie die Seite neu.',
    status: 'Dowel antwortete mit {{status}}.',
    unknown: 'Fehlgeschlagen, Ursache unbekannt.',
  },
  time: {
    days: '{{days}} T {{hours}} h',
    hours: '{{hours}} h {{minutes}} min',
    minutes: '{{minutes}} min',
    seconds: '{{seconds}} s',
  },
};
