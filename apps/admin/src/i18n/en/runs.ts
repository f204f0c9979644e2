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
    how: 'Two installations are worked on at a time. Installations where it cannot be done are counted and stay as they are. The run goes on without this page, and after a restart of the server. You can stop it at any time; what was done stays.',
    tryOne: 'If the scope is still missing, asking changes nothing. Try one installation first.',
    state: {
      running: 'Running',
      stopping: 'Stopping',
      done: 'Finished',
      stopped: 'Stopped',
    },
    stop: 'Stop',
    stopOf: 'Stop: {{title}}',
    stopFailed: 'The run was not stopped',
  },
} as const;
