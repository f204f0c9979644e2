/** The sentences of docs/errors.md. */

import type { reasons as english } from '../en/reasons.ts';
import type { Texts } from '../texts.ts';

export const reasons: Texts<typeof english> = {
  answered: {
    token_endpoint: 'Die Token-Anfrage wurde mit {{status}} beantwortet.',
    trigger:
      'Die Anforderung eines neuen access_token-Ereignisses wurde mit {{status}} beantwortet.',
  },
  reason: {
    body_too_large: 'Der Inhalt ist größer als erlaubt.',
    bad_media_type: 'Der Inhalt ist weder Formular noch JSON noch JWT, oder er ist kodiert.',
    bad_request: 'Der Inhalt ist kein UTF-8, kein JSON, oder ein Name kommt doppelt vor.',
    body_broke_off: 'Die Verbindung brach ab, bevor der Inhalt vollständig war.',
    host_missing: 'Die Anfrage hat keinen Host-Header.',
    host_invalid: 'Die Anfrage hat mehrere Host-Header oder einen ungültigen.',
    target_invalid: 'Das Ziel der Anfrage ist kein Pfad.',
    rate_limited: 'Zu viele Ereignisse oder Sitzungen kamen in kurzer Zeit.',
    lagging: 'Zu viele Ereignisse und Sitzungen warteten. Vielleicht ist die Datenbank langsam.',
    verifications_full:
      'Zu viele JWTs unbekannter Absender waren zu prüfen, deshalb wurde dieses nicht geprüft.',
    database_busy: 'Die Datenbank war überlastet.',
    database_unreachable: 'Die Datenbank war nicht erreichbar oder konnte nichts speichern.',
    internal_error: 'Interner Fehler im Back-End. Sein Log nennt die Ursache.',
    bad_token_format: 'Das JWT hat nicht die kompakte Form, ist zu lang oder enthält kein JSON.',
    alg_not_allowed:
      'Das JWT ist nicht mit RS256, RS384 oder RS512 signiert oder nicht mit dem Verfahren seines Schlüssels.',
    header_not_allowed: 'Das JWT hat einen Header, der die Prüfung beeinflussen könnte.',
    jku_not_allowed:
      'Keine Regel in DOWEL_TRUST erlaubt den Ort des Schlüssels. Es wurde nichts geladen.',
    key_fetch_failed: 'Der Schlüssel der Plattform konnte nicht geladen werden.',
    key_fetch_limited:
      'Zu viele unbekannte Schlüsselorte wurden genannt, deshalb wurde nichts geladen.',
    key_not_acceptable:
      'Der Schlüssel der Plattform ist kein RSA-Schlüssel mit 2048 bis 8192 Bit oder zu schwach.',
    signature_invalid:
      'Die Signatur passt nicht: Der Schlüssel ist ein anderer, oder der Inhalt wurde verändert.',
    issuer_key_mismatch:
      'Keine Regel in DOWEL_TRUST nennt diesen Aussteller, oder der Schlüssel gehört zu einem anderen. Unterscheiden sich nur http und https, nennt die Logzeile beide.',
    sub_mismatch: 'Das JWT ist an der Adresse für eine andere Ereignisart angekommen.',
    claims_invalid:
      'Ein Claim fehlt, hat die falsche Form oder ist für einen anderen Empfänger bestimmt (DOWEL_AUDIENCE).',
    expired: 'Das JWT war bei der Ankunft abgelaufen. Vergleichen Sie die Uhren beider Server.',
    not_yet_valid: 'Das JWT liegt in der Zukunft. Vergleichen Sie die Uhren beider Server.',
    plugin_not_ours: 'Das Ereignis betrifft ein Plug-in, das nicht in DOWEL_PLUGIN_IDS steht.',
    base_url_not_allowed:
      'Das Ereignis nennt eine API, die weder beim Aussteller liegt noch in DOWEL_API_ORIGINS steht, oder eine private Adresse, die nicht in DOWEL_INTERNAL_HOSTS steht. Die Logzeile nennt den Wert. Tragen Sie ihn ein und installieren Sie neu.',
    base_url_changed:
      'Das Ereignis nennt für die Basis-URL einen anderen Pfad als bisher. Mit einer Neuinstallation wird er übernommen.',
    relative_url_not_allowed:
      'Das Ereignis nennt einen Token-Endpunkt, der kein einfacher Pfad ist und nicht in DOWEL_API_ORIGINS steht.',
    plugin_mismatch: 'Ereignis oder Widget gehören zu einem anderen Plug-in dieses Servers.',
    after_uninstall: 'Das Ereignis gehört zu einer früheren Installation.',
    superseded: 'Token eines neueren Ereignisses sind bereits gespeichert und bleiben erhalten.',
    in_progress: 'Eine andere Zustellung desselben Ereignisses wird gerade verarbeitet.',
    not_installed: 'Das Ereignis betrifft ein Widget, aber das Plug-in ist noch nicht installiert.',
    exchange_failed:
      'Der Token-Endpunkt hat keine brauchbare Antwort gegeben. Die Plattform darf das Ereignis erneut senden.',
    exchange_rejected: 'Der Token-Endpunkt hat den Code nicht angenommen.',
    hook_refused: 'beforeInstall des Plug-ins hat die Installation abgelehnt.',
    hook_failed:
      'beforeInstall des Plug-ins ist fehlgeschlagen. Die Plattform darf das Ereignis erneut senden.',
    hook_timed_out:
      'beforeInstall des Plug-ins hat zu lange gedauert. Die Plattform darf das Ereignis erneut senden.',
    hooks_full:
      'Zu viele beforeInstall liefen gleichzeitig. Die Plattform darf das Ereignis erneut senden.',
    tenant_unknown: 'Für den Mandanten gibt es keine bestehende Installation.',
    instance_unknown:
      'Das Widget wurde entfernt oder nie platziert: entfernen und neu platzieren. Funktioniert keine Seite, hat src eine andere Form als zuvor: siehe DOWEL_UNMATCHED_PAGES.',
    session_nonce_unknown:
      'Das Init-JWT enthält keine frische Nonce, die DOWEL_SESSION_NONCE verlangt.',
    session_of_earlier_life: 'Das Init-JWT ist älter als die letzte Deinstallation.',
    session_replay: 'Mit diesem Init-JWT wurde bereits eine Sitzung eröffnet.',
    scope_missing:
      'Die Plattform hat einen Scope nicht erteilt, ohne den das Plug-in nicht funktioniert.',
    token_response_invalid: 'Die Antwort des Token-Endpunkts ist keine gültige Token-Antwort.',
    token_tenant_mismatch: 'Die Token-Antwort gehört zu einem anderen Mandanten.',
    token_endpoint_unreachable: 'Der Token-Endpunkt hat nicht rechtzeitig geantwortet.',
    address_not_allowed:
      'Der Token-Endpunkt hat eine private Adresse, die nicht in DOWEL_INTERNAL_HOSTS steht, oder fehlt in DOWEL_API_ORIGINS.',
    client_id_not_usable:
      'Die Client-ID enthält einen Doppelpunkt, der sich mit Basic nicht senden lässt.',
    refresh_unanswered: 'Das Refresh-Token wurde zweimal vorgelegt, ohne dass eine Antwort kam.',
    code_unanswered: 'Der Code wurde zweimal vorgelegt, ohne dass eine Antwort kam.',
    no_refresh_token:
      'Es ist kein Refresh-Token gespeichert. Nur ein neues access_token-Ereignis hilft.',
    turn_missed: 'Frühere Anfragen blieben ohne Antwort, deshalb kam diese nicht an die Reihe.',
    lease_lapsed:
      'Die Zeit war vor dem Senden abgelaufen, oder der Prozess wurde beendet. Es wurde nichts gesendet.',
    secret_integrity:
      'Ein gespeicherter Wert lässt sich nicht entschlüsseln. Ein neues Ereignis ersetzt ihn.',
    no_trigger_event:
      'Die Plattform hat keinen brauchbaren Weg angegeben, ein neues access_token-Ereignis anzufordern.',
    trigger_address_not_allowed:
      'Die Anforderung eines neuen Ereignisses ginge an einen Origin, der nicht in DOWEL_API_ORIGINS steht.',
    trigger_unreachable: 'Die Anforderung eines neuen Ereignisses blieb ohne Antwort.',
    platform_unreachable:
      'Ein Aufruf konnte keine Verbindung zur Plattform aufbauen, oder die Verbindung brach ab.',
    platform_5xx: 'Die Plattform hat einen Aufruf mit einem Serverfehler beantwortet.',
    platform_429: 'Die Plattform verlangt weniger Aufrufe.',
    platform_4xx:
      'Die Plattform hat den Aufruf abgelehnt: Das Plug-in hat etwas Falsches oder nicht Vorhandenes angefragt.',
    token_refused:
      'Die Plattform hat einen Aufruf mit einem gerade erst erteilten Token abgelehnt.',
    no_token: 'Für einen Aufruf war nicht rechtzeitig ein Access-Token verfügbar.',
    timed_out: 'Die Plattform hat einen Aufruf nicht rechtzeitig beantwortet.',
    access_denied: 'Die Plattform hat die Anfrage abgelehnt.',
    authorization_pending: 'Die Freigabe steht noch aus.',
    consent_required: 'Die Plattform verlangt die Zustimmung eines Benutzers.',
    expired_token: 'Der Code ist abgelaufen.',
    insufficient_scope: 'Die Plattform verlangt einen Scope, der nicht erteilt ist.',
    interaction_required: 'Die Plattform verlangt, dass sich ein Benutzer anmeldet.',
    invalid_client: 'Die Plattform hat Client-ID und Client-Secret nicht angenommen.',
    invalid_grant: 'Code oder Refresh-Token war bereits verwendet, widerrufen oder abgelaufen.',
    invalid_request: 'Die Plattform konnte die Token-Anfrage nicht lesen.',
    invalid_scope: 'Die Plattform kennt einen angeforderten Scope nicht.',
    invalid_target: 'Die Plattform kennt die angeforderte Ressource nicht.',
    invalid_token: 'Die Plattform nimmt das Token nicht an.',
    login_required: 'Die Plattform verlangt, dass sich ein Benutzer anmeldet.',
    server_error: 'Der Token-Endpunkt meldet einen Fehler.',
    slow_down: 'Die Plattform verlangt weniger Anfragen.',
    temporarily_unavailable: 'Der Token-Endpunkt ist überlastet oder wird gewartet.',
    unauthorized_client: 'Die Plattform erlaubt diesem Client diesen Grant nicht.',
    unsupported_grant_type: 'Die Plattform kennt diesen Grant nicht.',
    unsupported_token_type: 'Die Plattform kennt diese Token-Art nicht.',
  },
};
