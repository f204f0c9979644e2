/** The charts of the overview, in German. */
import type { charts as english } from '../en/charts.ts';
import type { Texts } from '../texts.ts';

export const charts: Texts<typeof english> = {
  charts: {
    span: 'Zeitraum',
    last: { '24h': 'Letzte 24 Stunden', '7d': 'Letzte 7 Tage', '30d': 'Letzte 30 Tage' },
    over: {
      '24h': 'in den letzten 24 Stunden',
      '7d': 'in den letzten 7 Tagen',
      '30d': 'in den letzten 30 Tagen',
    },
    access: 'Installationen ohne Zugriff',
    accessNote: 'Anzahl nach Ursache, {{over}}',
    accessName:
      'Installationen ohne Zugriff {{over}}: jetzt {{now}}, im Zeitraum {{min}} bis {{max}}.',
    others: 'Andere Ursachen',
    causes: 'Alle Ursachen',
    alertAbove: 'Alarm über {{number}}',
    rise: '{{time}} {{cause}}, {{number}}',
    success: 'Erfolgreiche Erneuerungen',
    successName: '{{share}} der Erneuerungen {{over}} waren erfolgreich.',
    noRefresh: 'In dieser Zeit gab es keine Erneuerung.',
    refreshes: 'Erneuerungen je Minute',
    refreshesName:
      'Erneuerungen je Minute {{over}}: jetzt {{now}}, im Zeitraum {{min}} bis {{max}}.',
    away: 'Abweisungen je Minute',
    awayName:
      'Abweisungen je Minute {{over}}: höchstens {{refused}} abgelehnt und höchstens {{shed}} auf später verwiesen.',
    refused: 'abgelehnt',
    shed: 'auf später verwiesen',
    events: 'Ereignisse beantwortet',
    eventCount: '{{number}} Ereignisse beantwortet',
    calls: 'Aufrufe je Minute',
    callsName:
      'Aufrufe je Minute {{over}}: höchstens {{all}}, davon höchstens {{failed}} fehlgeschlagen.',
    allCalls: 'alle Aufrufe',
    callsSucceeded: 'erfolgreich',
    callsFailed: 'fehlgeschlagen',
    callsRefused: 'inhaltlich abgelehnt',
    callTime: 'Dauer der Aufrufe',
    callTimeName:
      'Dauer der Aufrufe {{over}}: Die Hälfte dauert derzeit höchstens {{p50}}, 95 % höchstens {{p95}}.',
    p50: 'die Hälfte der Aufrufe',
    p95: '95 % der Aufrufe',
    noCall: 'Kein Aufruf in dieser Zeit.',
    showTable: 'Als Tabelle zeigen: {{chart}}',
    hideTable: 'Tabelle ausblenden: {{chart}}',
    values: 'Werte zu: {{chart}}',
    time: 'Zeit ab',
    unknown: 'unbekannt',
    since: 'Dowel zählt seit {{time}}.',
    none: 'Dowel hat gerade erst zu zählen begonnen. Die ersten Werte liegen in zwei Minuten vor.',
    loading: 'Diagramme werden geladen',
    failed: 'Die Diagramme konnten nicht geladen werden',
    withinHour: '{{number}} in der letzten Stunde',
  },
};
