/** Every text of the dashboard in German. */
import type { Texts } from './en.ts';

export const de: Texts = {
  language: { name: 'Deutsch', title: 'Sprache' },
  nav: {
    main: 'Hauptnavigation',
    installations: 'Installationen',
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
    notFoundTitle: 'Nicht gefunden',
    notFound: 'Diese Seite gibt es nicht',
    allInstallations: 'Alle Installationen',
    notAvailable: 'Nicht verfügbar',
    startFailed: 'Das Dashboard kann nicht geladen werden',
  },
  failure: {
    tryAgain: 'Erneut versuchen',
    unreachable: 'Dowel antwortet nicht. Läuft es?',
    answerInvalid:
      'Dowel gab eine Antwort, die diese Seite nicht versteht. Laden Sie die Seite neu.',
    status: 'Dowel antwortete mit {{status}}.',
    unknown: 'Etwas ist ohne Angabe eines Grundes gescheitert.',
  },
  time: {
    days: '{{days}} T {{hours}} h',
    hours: '{{hours}} h {{minutes}} min',
    minutes: '{{minutes}} min',
    seconds: '{{seconds}} s',
    ago: 'vor {{age}}',
    justNow: 'gerade eben',
  },
};
