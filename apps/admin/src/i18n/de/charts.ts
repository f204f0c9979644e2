/** The charts of the overview, in German. */
import type { charts as english } from '../en/charts.ts';
import type { Texts } from '../texts.ts';

export const charts: Texts<typeof english> = {
  charts: {
    span: 'Gezeigte Zeit',
    last: { '24h': 'Letzte 24 Stunden', '7d': 'Letzte 7 Tage', '30d': 'Letzte 30 Tage' },
    over: {
      '24h': 'in den letzten 24 Stunden',
      '7d': 'in den letzten 7 Tagen',
      '30d': 'in den letzten 30 Tagen',
    },
    access: 'Installationen ohne Zugriff',
    accessNote: 'Anzahl nach Ursache, {{over}}',
    accessName:
      'Installationen ohne Zugriff {{over}}: jetzt {{now}}, in dieser Zeit {{min}} bis {{max}}.',
    others: 'Andere Ursachen',
    causes: 'Alle Ursachen',
    alertAbove: 'Alarm über {{number}}',
    rise: '{{time}} {{cause}}, {{number}}',
    success: 'Gelungene Erneuerungen',
    successName: 'Von den Erneuerungen {{over}} gelangen {{share}}.',
    noRefresh: 'In dieser Zeit wurde nichts erneuert.',
    refreshes: 'Erneuerungen je Minute',
    refreshesName:
      'Erneuerungen je Minute {{over}}: jetzt {{now}}, in dieser Zeit {{min}} bis {{max}}.',
    away: 'Abgewiesen je Minute',
    awayName:
      'Abgewiesen je Minute {{over}}: höchstens {{refused}} abgelehnt und höchstens {{shed}} auf später verwiesen.',
    refused: 'abgelehnt',
    shed: 'später erneut',
    events: 'Ereignisse beantwortet',
    eventCount: '{{number}} Ereignisse beantwortet',
    showTable: 'Als Tabelle zeigen: {{chart}}',
    hideTable: 'Tabelle ausblenden: {{chart}}',
    values: 'Werte zu: {{chart}}',
    time: 'Zeit ab',
    unknown: 'nicht bekannt',
    since: 'Dowel zählt seit {{time}}.',
    none: 'Dowel hat eben erst zu zählen begonnen. Die ersten Werte kommen in zwei Minuten.',
    loading: 'Diagramme werden geladen',
    failed: 'Die Diagramme konnten nicht geladen werden',
    withinHour: '{{number}} in der letzten Stunde',
  },
};
