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
      next: 'Der erste Aufruf kurz vor dem Ablauf erneuert das Token.',
      help: '<b>Nichts zu tun.</b> Ohne Aufrufe läuft das Token ab; bis zum nächsten Aufruf ist der Zustand dann „Ruht“.',
    },
    idle: {
      badge: 'Ruht',
      happened: 'Alles in Ordnung',
      detail: 'Das Token ist abgelaufen. Seitdem gab es keinen Aufruf.',
      next: 'Ein Refresh-Token ist gespeichert, daher muss kein Aufruf auf ein Ereignis warten.',
      help: '<b>Nichts zu tun.</b>',
    },
    expiring: {
      badge: 'Läuft ab',
      happened: 'Nicht erneuerbar',
      detail: 'Das Token gilt, ist aber nicht erneuerbar.',
      next: 'Kurz vor dem Ablauf fordert ein Aufruf einmal ein neues Ereignis an. Bis dahin gilt das Token.',
      help: '<b>Jetzt ein neues Ereignis anfordern.</b> Sonst müssen Aufrufe warten, sobald das Token abgelaufen ist.',
    },
    ran_out: {
      badge: 'Abgelaufen',
      happened: 'Nicht erneuerbar',
      detail: 'Das Token ist abgelaufen und nicht erneuerbar.',
      next: 'Dieser Aufruf wartet bis zu 20 s auf das Ereignis.',
      help: '<b>Jetzt ein neues Ereignis anfordern,</b> bevor ein Aufruf warten muss.',
    },
    failing: {
      badge: 'Erneuerung schlägt fehl',
      happened: 'Erneuerung schlägt fehl',
      detail: 'Seitdem gab es keinen Aufruf. Das Access-Token gilt noch.',
      works: 'Aufrufe gelingen noch: Das Access-Token gilt.',
      next: 'Die Pause zwischen den Versuchen wächst auf 5 s oder auf die Zeit, die die Plattform verlangt, höchstens 15 min.',
      help: '<b>Token-Endpunkt prüfen, dann jetzt erneuern.</b>',
    },
    unreachable: {
      badge: 'Keine Antwort',
      happened: 'Keine Antwort',
      detail:
        'Das Token ist abgelaufen, und der Token-Endpunkt antwortet nicht. Das Refresh-Token bleibt gespeichert.',
      next: 'Jeder Versuch ist eine Erneuerung und eine Anforderung.',
      help: '<b>Token-Endpunkt prüfen, dann jetzt erneuern.</b>',
    },
    calls_failing: {
      badge: 'Aufrufe schlagen fehl',
      happened: 'Aufrufe schlagen fehl',
      detail: 'Die letzten Aufrufe sind fehlgeschlagen.',
      next: 'Der Zustand endet, wenn in jedem betroffenen Prozess wieder ein Aufruf gelingt. Nach einer Minute ohne Fehler genügt ein erfolgreicher Aufruf in einem anderen Prozess.',
    },
    awaiting: {
      badge: 'Wartet auf Ereignis',
      next: 'Eine angenommene Anforderung wiederholt Dowel nach 30 s, 1, 2, 4 und 8 min, dann alle 15 min; eine nicht angenommene nach 5, 10, 20 und 40 s, dann jede Minute.',
    },
    pending: {
      badge: 'Wird eingerichtet',
      happened: 'Installiert',
      detail: 'Die Token sind unterwegs.',
      next: 'Wird der Code nicht eingelöst, fragt Dowel nach 45 s erneut.',
      help: '<b>Abwarten.</b>',
    },
    no_tokens: {
      badge: 'Noch keine Token',
      happened: 'Noch keine Token',
      detail: 'Installiert, aber es wurde kein access_token-Ereignis angenommen.',
      next: 'Vor dem ersten Ereignis kann Dowel keines anfordern.',
      help: '<b>Unter „Ereignisse“ nach dem Host suchen, dann neu installieren.</b> Steht er dort nicht, nennt das Log der Plattform den Grund, warum das Ereignis nicht gesendet wurde.',
    },
    install_refused: {
      badge: 'Installation abgelehnt',
      happened: 'Installation abgelehnt',
      detail:
        'Das access_token-Ereignis wurde abgelehnt, und die Plattform hat das Plug-in sofort entfernt.',
      next: 'Die Plattform muss das Plug-in neu installieren.',
      help: '<b>Ursache beheben, dann neu installieren.</b>',
    },
    paused: {
      badge: 'Pausiert',
      happened: 'Pausiert',
      detail: 'Ein Benutzer hat die Installation pausiert.',
      next: 'Aufrufe schlagen sofort fehl, es wird nichts erneuert oder angefordert. Ereignisse werden weiter angenommen.',
      help: '<b>Fortsetzen.</b>',
    },
    uninstalled: {
      badge: 'Deinstalliert',
      happened: 'Deinstalliert',
      detail: 'Das Plug-in ist nicht installiert. Seine Geheimnisse wurden sofort gelöscht.',
      next: 'Identität, Platzierungen und Generation bleiben bis {{date}} erhalten. Eine neue Installation verwendet sie wieder.',
      help: '<b>Nur die Plattform kann das rückgängig machen: neu installieren.</b>',
    },
  },
  cause: {
    none: 'Keine',
    scope: 'Scope fehlt',
    scope_install: 'Scope fehlt',
    refused: 'Refresh-Token abgelehnt',
    no_refresh_token: 'Kein Refresh-Token',
    unanswered: 'Antwort zweimal verloren',
    unreadable: 'Geheimnis nicht lesbar',
    endpoint: 'Token-Endpunkt meldet Fehler',
    noAnswer: 'keine Antwort',
    no_event: 'Kein access_token-Ereignis',
    platform: 'Plattform gestört',
    too_many: 'Zu viele Aufrufe',
    call_token: 'Kein brauchbares Token',
    call_scope: 'Scope fehlt',
    other: 'Andere Ursache',
  },
  causeDetail: {
    scope: 'Den neuen Token fehlt ein Scope, den das Plug-in braucht. Dowel hat sie abgelehnt.',
    scope_install: 'Ein Scope, den das Plug-in braucht, wurde nicht erteilt.',
    refused: 'Das Refresh-Token wurde bereits verwendet oder widerrufen, oder es ist abgelaufen.',
    no_refresh_token:
      'Die Plattform hat kein Refresh-Token ausgestellt, und das Access-Token gilt nicht mehr.',
    unanswered: 'Eine Token-Anfrage wurde zweimal gesendet, aber keine Antwort kam an.',
    unreadable:
      'Ein gespeicherter Wert lässt sich nicht entschlüsseln. Andere Installationen sind nicht betroffen.',
    endpoint: 'Der Token-Endpunkt antwortet nicht oder mit einem Fehler.',
    no_event: 'Es wurde kein access_token-Ereignis angenommen.',
    platform: 'Die Plattform beantwortet Aufrufe nicht oder mit einem Fehler.',
    too_many: 'Die Plattform lehnt Aufrufe ab, weil es zu viele sind.',
    call_token: 'Die Plattform lehnt ein gerade erst erteiltes Token ab oder erteilt keines.',
    call_scope: 'Laut Plattform fehlt dem Token ein Scope.',
    other: 'Der Grund steht unten.',
  },
  causeHelp: {
    clock:
      '<b>Die Uhren beider Server richtig stellen, dann ein neues Ereignis anfordern.</b> Bis dahin lehnt Dowel Ereignisse ab.',
    scope:
      '<b>Die Administration des Mandanten bitten, den Scope zu erteilen,</b> dann ein neues Ereignis anfordern: So ist die Störung in Sekunden statt nach bis zu 15 min behoben.',
    scope_install: '<b>Scope erteilen lassen, dann neu installieren.</b>',
    refused: '<b>Ein neues Ereignis anfordern.</b>',
    no_refresh_token: '<b>Ein neues Ereignis anfordern.</b>',
    unanswered:
      '<b>Die Netzwerkverbindung zum Mandanten prüfen, dann ein neues Ereignis anfordern.</b>',
    unreadable:
      '<b>Ein neues Ereignis anfordern.</b> Ist auch der Trigger nicht lesbar, neu installieren.',
    endpoint: '<b>Token-Endpunkt prüfen.</b>',
    no_event: '<b>Neu installieren.</b>',
    platform: '<b>Verbindung testen:</b> Das Ergebnis zeigt, was die Plattform jetzt antwortet.',
    too_many:
      '<b>Häufigen Aufruf auf der Seite „Aufrufe“ ermitteln und das Plug-in seltener aufrufen lassen,</b> oder das Limit der Plattform erhöhen lassen.',
    call_token: '<b>Jetzt erneuern, dann die Verbindung testen.</b>',
    call_scope: '<b>Scope erteilen lassen.</b>',
    cannotAsk:
      '<b>Die Administration des Mandanten bitten, das Plug-in neu zu installieren.</b> Die Plattform hat keine brauchbare Adresse angegeben, um ein Ereignis anzufordern.',
    other: '<b>Den Grund in der Anleitung nachschlagen.</b>',
  },
  next: {
    asksIn: 'Fragt erneut in {{time}}',
    asksNow: 'Fragt beim nächsten Aufruf',
    cannotAsk: 'Anforderung nicht möglich: kein brauchbarer Trigger',
    unasked:
      'Neue Token gibt es nur, wenn die Plattform von selbst ein Ereignis sendet oder das Plug-in neu installiert.',
    triesIn: 'Neuer Versuch in {{time}}',
    triesNow: 'Versuch beim nächsten Aufruf',
    endsIn: 'Token endet in {{time}}',
    noEnd: 'Ablauf nicht bekannt',
    hooks_one: 'Ein Hook wartet auf Sie',
    hooks_other: '{{count, number}} Hooks warten auf Sie',
    idle: 'Erneuerung beim nächsten Aufruf',
    ran_out: 'Anforderung beim nächsten Aufruf',
    pending: 'Wartet auf Token der Plattform',
    no_tokens: 'Wartet auf die Plattform',
    install_refused: 'Nichts: von der Plattform entfernt',
    paused: 'Nichts, bis sie fortgesetzt wird',
    uninstalled: 'Nichts',
  },
};
