/** One action on many installations, in German. */
import type { runs as english } from '../en/runs.ts';
import type { Texts } from '../texts.ts';

export const runs: Texts<typeof english> = {
  run: {
    all: 'Aktion für alle Treffer',
    selected: 'Aktion für die Auswahl',
    action: 'Aktion',
    title_one: '{{action}}: {{number}} Installation',
    title_other: '{{action}}: {{number}} Installationen',
    titleMatching: '{{action}}: alle Treffer',
    chosen: 'Die ausgewählten Zeilen',
    how: 'Bis zu 16 Installationen werden zugleich bearbeitet. Der Lauf geht ohne diese Seite weiter, auch nach einem Neustart des Servers. Sie können ihn jederzeit anhalten; was getan ist, bleibt.',
    leftOut: {
      ask: 'Ausgelassen und gezählt werden deinstallierte, pausierte, solche ohne Token und solche, deren Plattform keine Adresse dafür gab.',
      refresh:
        'Ausgelassen und gezählt werden deinstallierte, pausierte und solche ohne gültiges Refresh-Token.',
      test: 'Ausgelassen und gezählt werden deinstallierte, pausierte und solche ohne gültiges Access-Token.',
      pause: 'Ausgelassen und gezählt werden deinstallierte und schon pausierte.',
      resume: 'Ausgelassen und gezählt werden solche, die nicht pausiert sind.',
      endSessions: 'Ausgelassen und gezählt werden solche ohne offene Sitzung.',
      acknowledge:
        'Ausgelassen und gezählt werden solche, deren Installation nicht abgelehnt wurde.',
    },
    howLong: 'Es dauert etwa {{time}}.',
    howLongSent: 'Es dauert etwa {{time}}, wenn die Plattform binnen einer Sekunde antwortet.',
    thousand: 'Tausend Installationen dauern etwa {{time}}.',
    thousandSent:
      'Tausend Installationen dauern etwa {{time}}, wenn die Plattform binnen einer Sekunde antwortet.',
    command: 'Als Befehl, für eine Installation: dowel {{action}} ID --reason "…".',
    tryOne:
      'Fehlt der Scope noch, ändert die Anforderung nichts. Versuchen Sie es zuerst mit einer Installation.',
    state: {
      running: 'Läuft',
      stopping: 'Hält an',
      done: 'Beendet',
      stopped: 'Angehalten',
    },
    failed: 'Die Läufe konnten nicht geladen werden',
    stop: 'Anhalten',
    stopOf: 'Anhalten: {{title}}',
    stopFailed: 'Der Lauf wurde nicht angehalten',
  },
};
