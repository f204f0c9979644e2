/** States, causes and what happens next, in German. */
import type { states as english } from '../en/states.ts';
import type { Texts } from '../texts.ts';

export const states: Texts<typeof english> = {
  group: {
    all: 'Alle',
    broken: 'Gestört',
    risk: 'Gefährdet',
    working: 'In Ordnung',
    paused: 'Pausiert',
    pending: 'Im Aufbau',
    uninstalled: 'Deinstalliert',
  },
  state: {
    active: {
      badge: 'Aktiv',
      happened: 'Alles in Ordnung',
      detail: 'Das Access-Token gilt und ist erneuerbar.',
      next: 'Der erste Aufruf kurz vor dem Ende erneuert das Token.',
      help: '<b>Nichts nötig.</b> Ohne Aufrufe läuft das Token ab, und der Zustand ist Ruht bis zum nächsten Aufruf.',
    },
    idle: {
      badge: 'Ruht',
      happened: 'Alles in Ordnung',
      detail: 'Das Token ist abgelaufen, seither kam kein Aufruf.',
      next: 'Ein Refresh-Token ist gespeichert, kein Aufruf wartet auf ein Ereignis.',
      help: '<b>Nichts nötig.</b>',
    },
    expiring: {
      badge: 'Läuft ab',
      happened: 'Nicht erneuerbar',
      detail: 'Das Token gilt, ist aber nicht erneuerbar.',
      next: 'Kurz vor dem Ende fordert ein Aufruf einmal ein neues Ereignis an. Bis zum Ende gilt das Token.',
      help: '<b>Jetzt ein neues Ereignis anfordern.</b> Sonst warten Aufrufe, wenn das Token endet.',
    },
    ran_out: {
      badge: 'Abgelaufen',
      happened: 'Nicht erneuerbar',
      detail: 'Das Token ist abgelaufen und nicht erneuerbar.',
      next: 'Dieser Aufruf wartet bis zu 20 s auf das Ereignis.',
      help: '<b>Jetzt ein neues Ereignis anfordern,</b> bevor ein Aufruf warten muss.',
    },
    failing: {
      badge: 'Erneuerung stockt',
      happened: 'Erneuerung stockt',
      detail: 'Aufrufe gelingen noch: Das Access-Token gilt.',
      next: 'Die Pause wächst auf 5 s oder so, wie es die Plattform verlangt, höchstens 15 min.',
      help: '<b>Token-Endpunkt prüfen, dann jetzt erneuern.</b>',
    },
    unreachable: {
      badge: 'Keine Antwort',
      happened: 'Keine Antwort',
      detail: 'Abgelaufen, und der Token-Endpunkt antwortet nicht. Das Refresh-Token bleibt.',
      next: 'Jeder Versuch ist eine Erneuerung und eine Anforderung.',
      help: '<b>Token-Endpunkt prüfen, dann jetzt erneuern.</b>',
    },
    awaiting: {
      badge: 'Wartet auf Ereignis',
      next: 'Dowel fragt nach 30 s, 1, 2, 4 und 8 min erneut, dann alle 15 min.',
    },
    pending: {
      badge: 'Wird eingerichtet',
      happened: 'Installiert',
      detail: 'Die Token sind unterwegs.',
      next: 'Endet der Austausch nicht, fragt Dowel nach 45 s erneut.',
      help: '<b>Warten.</b>',
    },
    no_tokens: {
      badge: 'Noch keine Token',
      happened: 'Noch keine Token',
      detail: 'Installiert, aber kein access_token-Ereignis wurde angenommen.',
      next: 'Vor dem ersten Ereignis kann Dowel nicht fragen.',
      help: '<b>Unter Abgewiesen nach dem Host sehen, dann neu installieren.</b> Steht er dort nicht, sagt das Log der Plattform, warum das Ereignis nicht gesendet wurde.',
    },
    install_refused: {
      badge: 'Installation abgelehnt',
      happened: 'Installation abgelehnt',
      detail:
        'Ihr access_token-Ereignis wurde abgelehnt, und die Plattform hat das Plug-in sofort entfernt.',
      next: 'Die Plattform muss neu installieren.',
      help: '<b>Ursache beheben, dann neu installieren.</b>',
    },
    paused: {
      badge: 'Pausiert',
      happened: 'Pausiert',
      detail: 'Eine Person hat die Installation pausiert.',
      next: 'Aufrufe schlagen sofort fehl, nichts wird erneuert oder angefordert. Ereignisse werden weiter angenommen.',
      help: '<b>Fortsetzen.</b>',
    },
    uninstalled: {
      badge: 'Deinstalliert',
      happened: 'Deinstalliert',
      detail: 'Nicht installiert; Geheimnisse sofort gelöscht.',
      next: 'Identität, Platzierungen und Generation bleiben bis {{date}}. Eine neue Installation verwendet sie wieder.',
      help: '<b>Nur die Plattform kann es rückgängig machen: neu installieren.</b>',
    },
  },
  cause: {
    none: 'Keine',
    scope: 'Scope fehlt',
    scope_install: 'Scope fehlt',
    refused: 'Refresh-Token abgelehnt',
    no_refresh_token: 'Kein Refresh-Token',
    unanswered: 'Antwort zweimal verloren',
    unreadable: 'Geheimnis unlesbar',
    endpoint: 'Token-Endpunkt meldet Fehler',
    noAnswer: 'keine Antwort',
    no_event: 'Kein access_token-Ereignis',
    other: 'Andere Ursache',
  },
  causeDetail: {
    scope:
      'Neue Token kommen ohne einen Scope, den das Plug-in braucht; Dowel hat sie abgelehnt (402).',
    scope_install: 'Ein Scope, den das Plug-in braucht, wurde nicht erteilt.',
    refused: 'Das Refresh-Token war benutzt, widerrufen oder abgelaufen.',
    no_refresh_token: 'Die Plattform gab kein Refresh-Token, und das Access-Token gilt nicht mehr.',
    unanswered: 'Eine Token-Anfrage wurde zweimal gesendet, und keine Antwort kam an.',
    unreadable:
      'Ein gespeicherter Wert lässt sich nicht entschlüsseln. Andere sind nicht betroffen.',
    endpoint: 'Der Token-Endpunkt antwortet nicht oder mit einem Fehler.',
    no_event: 'Kein access_token-Ereignis wurde angenommen.',
    other: 'Der Grund steht unten.',
  },
  causeHelp: {
    scope:
      '<b>Die Administration des Mandanten bitten, den Scope zu erteilen,</b> dann ein neues Ereignis anfordern: geheilt in Sekunden statt in bis zu 15 min.',
    scope_install: '<b>Scope erteilen lassen, dann neu installieren.</b>',
    refused: '<b>Ein neues Ereignis anfordern.</b>',
    no_refresh_token: '<b>Ein neues Ereignis anfordern.</b>',
    unanswered: '<b>Ist der Weg zum Mandanten stabil? Dann ein neues Ereignis anfordern.</b>',
    unreadable:
      '<b>Ein neues Ereignis anfordern.</b> Ist auch der Trigger unlesbar, neu installieren.',
    endpoint: '<b>Token-Endpunkt prüfen.</b>',
    no_event: '<b>Neu installieren.</b>',
    cannotAsk:
      '<b>Die Administration des Mandanten bitten, das Plug-in neu zu installieren.</b> Die Plattform gab keine brauchbare Adresse, um ein Ereignis anzufordern.',
    other: '<b>Den Grund in der Anleitung nachschlagen.</b>',
  },
  next: {
    asksIn: 'Fragt wieder in {{time}}',
    asksNow: 'Fragt beim nächsten Aufruf',
    cannotAsk: 'Kann nicht fragen: kein brauchbarer Trigger',
    unasked:
      'Neue Token kommen nur, wenn die Plattform von selbst ein Ereignis sendet, oder mit einer neuen Installation.',
    triesIn: 'Versucht es wieder in {{time}}',
    triesNow: 'Der nächste Aufruf versucht es',
    endsIn: 'Token endet in {{time}}',
    noEnd: 'Ende nicht bekannt',
    idle: 'Der nächste Aufruf erneuert es',
    ran_out: 'Der nächste Aufruf fordert ein Ereignis an',
    pending: 'Die Plattform sendet Token',
    no_tokens: 'Wartet auf die Plattform',
    install_refused: 'Nichts: von der Plattform entfernt',
    paused: 'Nichts, bis es fortgesetzt wird',
    uninstalled: 'Nichts',
  },
};
