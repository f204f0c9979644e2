/** The charts of the overview, in English. */
export const charts = {
  charts: {
    span: 'Time shown',
    last: { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' },
    over: {
      '24h': 'over the last 24 hours',
      '7d': 'over the last 7 days',
      '30d': 'over the last 30 days',
    },
    access: 'Installations without access',
    accessNote: 'Count, by cause, {{over}}',
    accessName:
      'Installations without access {{over}}: {{now}} now, {{min}} to {{max}} in that time.',
    others: 'All other causes',
    causes: 'All causes',
    rise: '{{time}} {{cause}}, {{number}}',
    success: 'Refreshes that succeed',
    successName: 'Of the refreshes {{over}}, {{share}} succeeded.',
    noRefresh: 'No refresh in this time.',
    refreshes: 'Refreshes a minute',
    refreshesName: 'Refreshes a minute {{over}}: {{now}} now, {{min}} to {{max}} in that time.',
    away: 'Turned away a minute',
    awayName:
      'Turned away a minute {{over}}: at most {{refused}} refused, and at most {{shed}} told to try again later.',
    refused: 'refused',
    shed: 'try again later',
    showTable: 'Show as a table: {{chart}}',
    hideTable: 'Hide the table: {{chart}}',
    values: 'Values of: {{chart}}',
    time: 'Time from',
    unknown: 'not known',
    since: 'Dowel has been counting since {{time}}.',
    none: 'Dowel has just begun to count. The first values come within two minutes.',
    loading: 'Loading the charts',
    failed: 'The charts could not be loaded',
    withinHour: '{{number}} in the last hour',
  },
} as const;
