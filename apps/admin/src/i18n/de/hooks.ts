/** Parked hook deliveries, in German. */
import type { hooks as english } from '../en/hooks.ts';
import type { Texts } from '../texts.ts';

export const hooks: Texts<typeof english> = {
  hooks: {
    parked: 'Angehaltene Zustellungen',
    note: 'Sie scheiterten zu oft und werden nicht mehr versucht. Token sind nicht betroffen. Den Hook reparieren, dann wiederholen.',
    flag_one: 'Hook angehalten',
    flag_other: '{{count}} Hooks angehalten',
    settle: 'Wiederholen oder verwerfen',
    none: 'Keine Zustellung ist angehalten',
    noneNote:
      'Eine Zustellung wird angehalten, wenn ihr Hook zu oft scheiterte. Dann steht sie hier.',
    failed: 'Die angehaltenen Zustellungen konnten nicht geladen werden',
    hook: 'Hook',
    of: 'vom {{time}}',
    lastError: 'Letzter Fehler',
    parkedFor: 'Angehalten seit',
    attempts_one: '{{count}} Versuch',
    attempts_other: '{{count}} Versuche',
    replays_one: 'einmal wiederholt',
    replays_other: '{{count}}-mal wiederholt',
    replay: 'Wiederholen',
    replayOf: 'Wiederholen: {{hook}}, {{tenant}}',
    drop: 'Verwerfen',
    dropOf: 'Verwerfen: {{hook}}, {{tenant}}',
    whatReplay:
      'Der Hook wird mit demselben Inhalt erneut aufgerufen. Scheitert er wieder so oft, wird die Zustellung wieder angehalten.',
    whatDrop:
      'Der Hook wird dafür nie wieder aufgerufen. Spätere Zustellungen sind nicht betroffen.',
  },
};
