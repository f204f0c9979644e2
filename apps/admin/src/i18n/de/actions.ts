import type { actions as english } from '../en/actions.ts';
import type { Texts } from '../texts.ts';

/** Was Aktionen taten, warum sie nicht geschahen, und was der Server sonst ablehnt, auf Deutsch. */
export const actions: Texts<typeof english> = {
  effect: {
    refreshed: 'Erneuert: Token-Satz {{version}} ist gespeichert.',
    asked: 'Die Plattform nahm die Anforderung an. Ihr Ereignis kann jederzeit kommen.',
    asked_before: 'Ein Ereignis wurde eben erst angefordert, oder eines wird gerade eingetauscht.',
    tested: 'Die Plattform antwortete {{status}} nach {{duration}}.',
    paused: 'Pausiert: Aufrufe schlagen sofort fehl, nichts wird erneuert oder angefordert.',
    paused_before: 'Sie war schon pausiert.',
    resumed: 'Fortgesetzt: Aufrufe werden wieder gesendet.',
    not_paused: 'Sie war nicht pausiert.',
    ended: 'Beendet: Ihre Token, Geheimnisse und Sitzungen sind gelöscht.',
    ended_before: 'Sie war schon beendet.',
    sessions_ended_one: 'Eine Sitzung beendet.',
    sessions_ended_other: '{{number}} Sitzungen beendet.',
    no_session: 'Keine Sitzung war offen.',
    hook_queued: 'Der Hook läuft wieder, sobald er an der Reihe ist.',
    hook_dropped: 'Der Hook läuft nicht wieder.',
    kept: 'Der Eintrag bleibt bis zum gewählten Tag.',
    kept_before: 'Der Eintrag blieb schon bis zu diesem Tag.',
    purged: 'Gelöscht: Identität und Verlauf sind entfernt.',
    described: 'Name und Notizen sind gespeichert.',
    described_before: 'Name und Notizen waren schon so.',
    marked: 'Als gesehen markiert.',
    marked_before: 'Sie war schon markiert.',
  },
  tested: {
    refused: 'Die Plattform lehnt das Access-Token ab: erneuern.',
    broken: 'Die Plattform hat selbst ein Problem.',
  },
  refusal: {
    role_missing: 'Ihre Rolle reicht nicht. Fragen Sie jemanden, dessen Rolle reicht.',
    unknown_installation: 'Diese Installation gibt es nicht. Suchen Sie sie in der Liste.',
    no_tokens:
      'Sie hat noch keine Token. Warten Sie auf das access_token-Ereignis, oder installieren Sie neu.',
    no_refresh_token: 'Die Plattform gab kein Refresh-Token. Fordern Sie ein neues Ereignis an.',
    awaiting_event: 'Ihr Grant ist beendet. Fordern Sie ein neues Ereignis an.',
    token_ended: 'Ihr Access-Token ist abgelaufen. Erneuern Sie zuerst.',
    paused: 'Sie ist pausiert. Setzen Sie sie zuerst fort.',
    uninstalled: 'Sie ist deinstalliert. Nur die Plattform kann sie neu installieren.',
    still_installed: 'Sie ist nicht deinstalliert. Zuerst muss die Plattform sie deinstallieren.',
    ended_recently:
      'Ereignisse von vor dem Ende können noch ankommen und brächten sie zurück. Versuchen Sie es zwei Stunden nach der Deinstallation.',
    cannot_ask:
      'Ein Ereignis lässt sich nicht anfordern. Die Administration des Mandanten muss das Plug-in neu installieren.',
    busy: 'Zu viele Anfragen warten auf diese Plattform. Versuchen Sie es gleich noch einmal.',
    too_early: 'Es ist zu früh. Versuchen Sie es gleich noch einmal.',
    name_differs:
      'Das ist weder Name noch Host dieser Installation. Geben Sie ihn so ein, wie er da steht.',
    date_out_of_range:
      'Bis zu diesem Tag bleibt der Eintrag ohnehin, oder der Tag ist zu weit voraus. Wählen Sie einen späteren innerhalb von {{days}} Tagen.',
    hook_not_parked: 'Diese Zustellung ist nicht mehr angehalten. Laden Sie die Liste neu.',
    hook_superseded:
      'Sie gehört zu einer früheren Installation, oder sie wurde verworfen. Es ist nichts zu tun.',
    not_refused: 'Die Installation wurde nicht abgelehnt. Nichts ist zu markieren.',
    no_newer_address:
      'Ihr Mandant hat keine neuere Adresse. Die Plattform muss sie deinstallieren.',
  },
  refusedAs: {
    role_missing: 'Rolle reicht nicht',
    unknown_installation: 'unbekannt',
    no_tokens: 'noch keine Token',
    no_refresh_token: 'kein Refresh-Token',
    awaiting_event: 'wartet auf ein Ereignis',
    token_ended: 'Token abgelaufen',
    paused: 'pausiert',
    uninstalled: 'deinstalliert',
    still_installed: 'noch installiert',
    ended_recently: 'eben erst beendet',
    cannot_ask: 'kann nicht anfordern',
    busy: 'zu viele Anfragen',
    too_early: 'zu früh',
    name_differs: 'anderer Name',
    date_out_of_range: 'falscher Tag',
    hook_not_parked: 'Hook nicht angehalten',
    hook_superseded: 'Hook überholt',
    not_refused: 'nicht abgelehnt',
    no_newer_address: 'keine neuere Adresse',
  },
  actionFailure: {
    not_taken:
      'Die Plattform nahm die Anforderung nicht an ({{reason}}). Testen Sie die Verbindung, und fordern Sie später erneut an.',
    no_new_tokens:
      'Der Token-Endpunkt gab keine neuen Token ({{reason}}). Versuchen Sie es gleich noch einmal.',
    too_many_refreshes: 'Es wurde zu oft erneuert. Versuchen Sie es gleich noch einmal.',
    event_awaited:
      'Das Refresh-Token ist tot, und das angeforderte Ereignis ist noch nicht da. Warten Sie darauf.',
    timed_out: 'Die Plattform antwortete nicht rechtzeitig. Sehen Sie nach, ob sie erreichbar ist.',
    unreachable: 'Die Plattform war nicht erreichbar. Prüfen Sie ihre Adresse und ihr Zertifikat.',
  },
  apiError: {
    BAD_REQUEST: 'Dowel nimmt diese Anfrage nicht an: {{message}}',
    SIGN_IN_REQUIRED: 'Melden Sie sich zuerst an.',
    CSRF: 'Die Anfrage kommt nicht von den Seiten von Dowel. Laden Sie die Seite neu, unter der Adresse von DOWEL_PUBLIC_URL.',
    ROLE_MISSING: 'Ihre Rolle reicht nicht. Fragen Sie jemanden, dessen Rolle reicht.',
    NOT_FOUND: 'Das gibt es nicht, oder nicht mehr.',
    RUN_UNDER_WAY:
      'Ein Lauf dieser Aktion ist im Gang. Warten Sie sein Ende ab, oder stoppen Sie ihn.',
    TOO_MANY_ATTEMPTS: 'Es waren zu viele Versuche. Versuchen Sie es später noch einmal.',
    INTERNAL_ERROR: 'Interner Fehler. Das Log von Dowel nennt die Ursache.',
    OVERLOADED:
      'Dowel hat zu viel zu tun, oder die Datenbank ist nicht erreichbar. Versuchen Sie es später noch einmal.',
    EXPORT_UNDER_WAY:
      'Ein Export ist im Gang: Ihr letzter, oder zwei von anderen. Warten Sie sein Ende ab.',
  },
};
