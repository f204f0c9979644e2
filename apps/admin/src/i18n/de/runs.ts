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
    how: 'Je zwei Installationen werden zugleich bearbeitet. Installationen, bei denen es nicht geht, werden gezählt und bleiben unverändert. Der Lauf geht ohne diese Seite weiter, auch nach einem Neustart des Servers. Sie können ihn jederzeit anhalten; was getan ist, bleibt.',
    tryOne:
      'Fehlt der Scope noch, ändert die Anforderung nichts. Versuchen Sie es zuerst mit einer Installation.',
    state: {
      running: 'Läuft',
      stopping: 'Hält an',
      done: 'Beendet',
      stopped: 'Angehalten',
    },
    stop: 'Anhalten',
    stopOf: 'Anhalten: {{title}}',
    stopFailed: 'Der Lauf wurde nicht angehalten',
  },
};
