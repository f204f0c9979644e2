import type { actions as english } from '../en/actions.ts';
import type { Texts } from '../texts.ts';

/** Was Aktionen taten, warum sie nicht geschahen, und was der Server sonst ablehnt, auf Deutsch. */
export const actions: Texts<typeof english> = {
  effect: {
    refreshed: 'Erneuert: Token-Satz {{version}} ist gespeichert.',
    asked: 'Die Plattform hat die Anforderung angenommen. Das Ereignis kann jederzeit eintreffen.',
    asked_before:
      'Ein Ereignis wurde gerade erst angefordert, oder ein Code wird gerade eingelöst.',
    tested: 'Die Plattform hat nach {{duration}} mit {{status}} geantwortet.',
    paused: 'Pausiert: Aufrufe schlagen sofort fehl, es wird nichts erneuert oder angefordert.',
    paused_before: 'Die Installation war bereits pausiert.',
    resumed: 'Fortgesetzt: Aufrufe werden wieder gesendet.',
    not_paused: 'Die Installation war nicht pausiert.',
    ended: 'Beendet: Token, Geheimnisse und Sitzungen der Installation sind gelöscht.',
    ended_before: 'Die Installation war bereits beendet.',
    sessions_ended_one: 'Eine Sitzung wurde beendet.',
    sessions_ended_other: '{{number}} Sitzungen wurden beendet.',
    no_session: 'Es war keine Sitzung offen.',
    hook_queued: 'Der Hook wird erneut aufgerufen, sobald er an der Reihe ist.',
    hook_dropped: 'Der Hook wird nicht erneut aufgerufen.',
    kept: 'Der Eintrag bleibt bis zum gewählten Tag erhalten.',
    kept_before: 'Der Eintrag wurde bereits bis zu diesem Tag aufbewahrt.',
    purged: 'Endgültig gelöscht: Identität und Verlauf sind entfernt.',
    described: 'Name und Notizen sind gespeichert.',
    described_before: 'Name und Notizen waren bereits so gespeichert.',
    marked: 'Als gesehen markiert.',
    marked_before: 'Die Installation war bereits markiert.',
  },
  tested: {
    refused: 'Die Plattform lehnt das Access-Token ab. Erneuern Sie es.',
    broken: 'Auf der Plattform selbst liegt eine Störung vor.',
  },
  refusal: {
    role_missing:
      'Ihre Rolle reicht dafür nicht aus. Wenden Sie sich an einen Operator oder Eigentümer.',
    unknown_installation: 'Diese Installation gibt es nicht. Suchen Sie in der Liste danach.',
    no_tokens:
      'Die Installation hat noch keine Token. Warten Sie auf das access_token-Ereignis oder installieren Sie das Plug-in neu.',
    no_refresh_token:
      'Die Plattform hat kein Refresh-Token ausgestellt. Fordern Sie ein neues Ereignis an.',
    awaiting_event: 'Der Grant ist nicht mehr gültig. Fordern Sie ein neues Ereignis an.',
    token_ended: 'Das Access-Token ist abgelaufen. Erneuern Sie es zuerst.',
    paused: 'Die Installation ist pausiert. Setzen Sie sie zuerst fort.',
    uninstalled: 'Das Plug-in ist deinstalliert. Nur die Plattform kann es neu installieren.',
    still_installed:
      'Das Plug-in ist noch installiert. Zuerst muss die Plattform es deinstallieren.',
    ended_recently:
      'Frühere Ereignisse können noch eintreffen und würden die Installation wiederherstellen. Versuchen Sie es zwei Stunden nach der Deinstallation erneut.',
    cannot_ask:
      'Es lässt sich kein Ereignis anfordern. Die Administration des Mandanten muss das Plug-in neu installieren.',
    busy: 'Zu viele Anfragen warten auf diese Plattform. Versuchen Sie es in Kürze erneut.',
    too_early: 'Es ist noch zu früh. Versuchen Sie es in Kürze erneut.',
    name_differs:
      'Die Eingabe entspricht weder dem Namen noch dem Host dieser Installation. Übernehmen Sie die Schreibweise genau.',
    date_out_of_range:
      'Bis zu diesem Tag bleibt der Eintrag ohnehin erhalten, oder der Tag liegt zu weit in der Zukunft. Wählen Sie einen späteren Tag innerhalb von {{days}} Tagen.',
    hook_not_parked: 'Diese Zustellung ist nicht mehr angehalten. Laden Sie die Liste neu.',
    hook_superseded:
      'Die Zustellung gehört zu einer früheren Installation oder wurde verworfen. Es ist nichts zu tun.',
    not_refused: 'Die Installation wurde nicht abgelehnt. Es gibt nichts zu markieren.',
    no_newer_address:
      'Der Mandant hat keine neuere Adresse. Die Plattform muss das Plug-in deinstallieren.',
  },
  refusedAs: {
    role_missing: 'Rolle reicht nicht aus',
    unknown_installation: 'unbekannt',
    no_tokens: 'noch keine Token',
    no_refresh_token: 'kein Refresh-Token',
    awaiting_event: 'wartet auf ein Ereignis',
    token_ended: 'Token abgelaufen',
    paused: 'pausiert',
    uninstalled: 'deinstalliert',
    still_installed: 'noch installiert',
    ended_recently: 'gerade erst beendet',
    cannot_ask: 'Anforderung nicht möglich',
    busy: 'zu viele Anfragen',
    too_early: 'zu früh',
    name_differs: 'anderer Name',
    date_out_of_range: 'Tag nicht zulässig',
    hook_not_parked: 'Hook nicht angehalten',
    hook_superseded: 'Hook überholt',
    not_refused: 'nicht abgelehnt',
    no_newer_address: 'keine neuere Adresse',
  },
  actionFailure: {
    not_taken:
      'Die Plattform hat die Anforderung nicht angenommen ({{reason}}). Testen Sie die Verbindung und fordern Sie später erneut an.',
    no_new_tokens:
      'Der Token-Endpunkt hat keine neuen Token ausgestellt ({{reason}}). Versuchen Sie es in Kürze erneut.',
    too_many_refreshes: 'Es wurde zu oft erneuert. Versuchen Sie es in Kürze erneut.',
    event_awaited:
      'Das Refresh-Token gilt nicht mehr, und das angeforderte Ereignis ist noch nicht eingetroffen. Warten Sie darauf.',
    timed_out:
      'Die Plattform hat nicht rechtzeitig geantwortet. Prüfen Sie, ob sie erreichbar ist.',
    unreachable: 'Die Plattform war nicht erreichbar. Prüfen Sie ihre Adresse und ihr Zertifikat.',
  },
  apiError: {
    BAD_REQUEST: 'Dowel nimmt diese Anfrage nicht an: {{message}}',
    SIGN_IN_REQUIRED: 'Melden Sie sich zuerst an.',
    CSRF: 'Die Anfrage stammt nicht von den Seiten von Dowel. Laden Sie die Seite unter der Adresse von DOWEL_PUBLIC_URL neu.',
    PASSWORD_WRONG: 'Das ist nicht Ihr derzeitiges Passwort.',
    ROLE_MISSING:
      'Ihre Rolle reicht dafür nicht aus. Wenden Sie sich an einen Operator oder Eigentümer.',
    NOT_FOUND: 'Das gibt es nicht oder nicht mehr.',
    ACCOUNT_EXISTS: 'Ein Konto mit diesem Namen ist bereits vorhanden.',
    RUN_UNDER_WAY:
      'Ein Lauf dieser Aktion ist noch nicht beendet. Warten Sie, bis er endet, oder halten Sie ihn an.',
    TOO_MANY_ATTEMPTS: 'Zu viele Versuche. Versuchen Sie es später erneut.',
    INTERNAL_ERROR: 'Interner Fehler. Das Log von Dowel nennt die Ursache.',
    OVERLOADED:
      'Dowel ist überlastet, oder die Datenbank ist nicht erreichbar. Versuchen Sie es später erneut.',
    EXPORT_UNDER_WAY:
      'Es läuft bereits ein Export: Ihr eigener oder zwei von anderen Benutzern. Warten Sie, bis er fertig ist.',
  },
};
