/** Parked hook deliveries, in English. */
export const hooks = {
  hooks: {
    parked: 'Parked deliveries',
    note: 'These failed too often and are not tried again. Tokens are not affected. Fix the hook, then replay.',
    flag_one: 'Hook parked',
    flag_other: '{{count, number}} hooks parked',
    settle: 'Replay or drop',
    none: 'No delivery is parked',
    noneNote: 'A delivery is parked when its hook has failed too often. It then appears here.',
    failed: 'The parked deliveries could not be loaded',
    hook: 'Hook',
    of: 'of {{time}}',
    lastError: 'Last error',
    parkedFor: 'Parked for',
    attempts_one: '{{count, number}} attempt',
    attempts_other: '{{count, number}} attempts',
    replays_one: 'replayed once',
    replays_other: 'replayed {{count, number}} times',
    replay: 'Replay',
    replayOf: 'Replay: {{hook}}, {{tenant}}',
    drop: 'Drop',
    dropOf: 'Drop: {{hook}}, {{tenant}}',
    whatReplay:
      'The hook is called again with its next turn, with the same content. If it fails as often again, the delivery is parked again.',
    whatDrop: 'The hook is never called for this again. Later deliveries are not affected.',
  },
} as const;
