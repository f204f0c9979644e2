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
    how: 'Bis zu 16 Installationen werden gleichzeitig bearbeitet. Der Lauf geht auch ohne diese Seite weiter, selbst nach einem Neustart des Servers. Sie können ihn jederzeit anhalten; bereits Erledigtes bleibt.',
    leftOut: {
      ask: 'Übersprungen und gezählt werden Installationen, die deinstalliert oder pausiert sind, noch keine Token haben oder deren Plattform keine Adresse dafür angegeben hat.',
      refresh:
        'Übersprungen und gezählt werden Installationen, die deinstalliert oder pausiert sind oder kein gültiges Refresh-Token haben.',
      test: 'Übersprungen und gezählt werden Installationen, die deinstalliert oder pausiert sind oder kein gültiges Access-Token haben.',
      pause:
        'Übersprungen und gezählt werden Installationen, die deinstalliert oder bereits pausiert sind.',
      resume: 'Übersprungen und gezählt werden Installationen, die nicht pausiert sind.',
      endSessions: 'Übersprungen und gezählt werden Installationen ohne offene Sitzung.',
      acknowledge: 'Übersprungen und gezählt werden Installationen, die nicht abgelehnt wurden.',
    },
    howLong: 'Dauer: etwa {{time}}.',
    howLongSent: 'Dauer: etwa {{time}}, wenn die Plattform innerhalb einer Sekunde antwortet.',
    thousand: 'Tausend Installationen dauern etwa {{time}}.',
    thousandSent:
      'Tausend Installationen dauern etwa {{time}}, wenn die Plattform innerhalb einer Sekunde antwortet.',
    command: 'Als Befehl, für eine Installation: dowel {{action}} ID --reason "…".',
    tryOne:
      'Fehlt der Scope noch, ändert die Anforderung nichts. Versuchen Sie es zuerst mit einer Installation.',
    state: {
      running: 'Läuft',
      stopping: 'Wird angehalten',
      done: 'Beendet',
      stopped: 'Angehalten',
    },
    failed: 'Die Läufe konnten nicht geladen werden',
    stop: 'Anhalten',
    stopOf: 'Anhalten: {{title}}',
    stopFailed: 'Der Lauf wurde nicht angehalten',
  },
};
