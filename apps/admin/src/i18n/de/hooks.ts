/** Parked hook deliveries, in German. */
import type { hooks as english } from '../en/hooks.ts';
import type { Texts } from '../texts.ts';

export const hooks: Texts<typeof english> = {
  hooks: {
    parked: 'Angehaltene Zustellungen',
    note: 'Diese Zustellungen sind zu oft fehlgeschlagen und werden nicht mehr versucht. Token sind nicht betroffen. Beheben Sie den Fehler im Hook und wiederholen Sie dann.',
    flag_one: 'Hook angehalten',
    flag_other: '{{count, number}} Hooks angehalten',
    happened_one: 'Ein Hook ist zu oft fehlgeschlagen, deshalb ist seine Zustellung angehalten.',
    happened_other:
      'Hooks sind zu oft fehlgeschlagen, deshalb sind {{count, number}} Zustellungen angehalten.',
    help: '<b>Den Fehler im Hook beheben, dann wiederholen, was angehalten ist.</b>',
    settle: 'Wiederholen oder verwerfen',
    none: 'Keine Zustellung ist angehalten',
    noneNote:
      'Eine Zustellung wird angehalten, wenn ihr Hook zu oft fehlgeschlagen ist. Sie erscheint dann hier.',
    failed: 'Die angehaltenen Zustellungen konnten nicht geladen werden',
    hook: 'Hook',
    of: 'vom {{time}}',
    lastError: 'Letzter Fehler',
    parkedFor: 'Angehalten seit',
    attempts_one: '{{count, number}} Versuch',
    attempts_other: '{{count, number}} Versuche',
    replays_one: 'einmal wiederholt',
    replays_other: '{{count, number}}-mal wiederholt',
    replay: 'Wiederholen',
    replayOf: 'Wiederholen: {{hook}}, {{tenant}}',
    drop: 'Verwerfen',
    dropOf: 'Verwerfen: {{hook}}, {{tenant}}',
    whatReplay:
      'Der Hook wird mit demselben Inhalt erneut aufgerufen. Schlägt er wieder so oft fehl, wird die Zustellung erneut angehalten.',
    whatDrop:
      'Der Hook wird dafür nicht mehr aufgerufen. Spätere Zustellungen sind nicht betroffen.',
  },
};
