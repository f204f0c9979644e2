/** One action on many installations, in English. */
export const runs = {
  run: {
    all: 'Act on all that match',
    selected: 'Act on the selection',
    action: 'Action',
    title_one: '{{action}}: {{number}} installation',
    title_other: '{{action}}: {{number}} installations',
    titleMatching: '{{action}}: all that match',
    chosen: 'The selected rows',
    how: 'Up to 16 installations are worked on at a time. The run goes on without this page, and after a restart of the server. You can stop it at any time; what was done stays.',
    leftOut: {
      ask: 'Left out, and counted: those that are uninstalled or paused, that have no tokens yet, or whose platform gave no address to ask.',
      refresh:
        'Left out, and counted: those that are uninstalled or paused, or that have no refresh token that still works.',
      test: 'Left out, and counted: those that are uninstalled or paused, or that have no access token that still works.',
      pause: 'Left out, and counted: those that are uninstalled, or paused already.',
      resume: 'Left out, and counted: those that are not paused.',
      endSessions: 'Left out, and counted: those without an open session.',
      acknowledge: 'Left out, and counted: those whose install was not refused.',
    },
    howLong: 'It takes about {{time}}.',
    howLongSent: 'It takes about {{time}} if the platform answers within a second.',
    thousand: 'A thousand installations take about {{time}}.',
    thousandSent:
      'A thousand installations take about {{time}} if the platform answers within a second.',
    command: 'As a command, for one installation: dowel {{action}} ID --reason "…".',
    tryOne: 'If the scope is still missing, asking changes nothing. Try one installation first.',
    state: {
      running: 'Running',
      stopping: 'Stopping',
      done: 'Finished',
      stopped: 'Stopped',
    },
    failed: 'The runs could not be loaded',
    stop: 'Stop',
    stopOf: 'Stop: {{title}}',
    stopFailed: 'The run was not stopped',
  },
} as const;
