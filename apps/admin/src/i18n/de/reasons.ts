/** The sentences of docs/errors.md. */

import type { reasons as english } from '../en/reasons.ts';
import type { Texts } from '../texts.ts';

export const reasons: Texts<typeof english> = {
  answered: {
    token_endpoint: 'Die Token-Anfrage wurde mit {{status}} beantwortet.',
    trigger: 'Die Anforderung wurde mit {{status}} beantwortet.',
  },
  reason: {
    body_too_large: 'Der Inhalt ist größer als erlaubt.',
    bad_media_type: 'Der Inhalt ist weder Formular noch JSON noch JWT, oder er ist kodiert.',
    bad_request: 'Der Inhalt ist kein UTF-8, kein JSON, oder ein Name kommt zweimal vor.',
    body_broke_off: 'Die Verbindung endete vor dem Inhalt.',
    host_missing: 'Die Anfrage hat keinen Host-Header.',
    host_invalid: 'Die Anfrage hat mehrere Host-Header, oder einen ungültigen.',
    target_invalid: 'Die Anfrage fragt nicht nach einem Pfad.',
    rate_limited: 'Zu viele Ereignisse oder Sitzungen kamen in kurzer Zeit.',
    lagging: 'Zu viele Ereignisse und Sitzungen warteten. Vielleicht ist die Datenbank langsam.',
    verifications_full: 'Zu viele JWTs unbekannter Absender wurden geprüft. Dieses nicht.',
    database_busy: 'Die Datenbank war zu beschäftigt.',
    database_unreachable: 'Die Datenbank war nicht erreichbar oder konnte nichts speichern.',
    internal_error: 'Interner Fehler im Back-End. Sein Log nennt die Ursache.',
    bad_token_format:
      'Das JWT hat nicht die kompakte Form, ist zu lang, oder sein Inhalt ist kein JSON.',
    alg_not_allowed:
      'Das JWT ist nicht mit RS256, RS384 oder RS512 signiert, oder nicht wie sein Schlüssel.',
    header_not_allowed: 'Das JWT hat einen Header, der die Prüfung ändern könnte.',
    jku_not_allowed:
      'Keine Regel in DOWEL_TRUST erlaubt den Ort des Schlüssels. Nichts wurde geladen.',
    key_fetch_failed: 'Der Schlüssel der Plattform konnte nicht geladen werden.',
    key_fetch_limited:
      'Zu viele unbekannte Orte von Schlüsseln wurden genannt; nichts wurde geladen.',
    key_not_acceptable:
      'Der Schlüssel der Plattform ist kein RSA-Schlüssel von 2048 bis 8192 Bit, oder schwach.',
    signature_invalid: 'Die Signatur passt nicht: ein anderer Schlüssel, oder es wurde verändert.',
    issuer_key_mismatch:
      'Keine Regel in DOWEL_TRUST nennt diesen Aussteller, oder der Schlüssel gehört anderen. Unterscheiden sich nur http und https, nennt die Log-Zeile beide.',
    sub_mismatch: 'Ein JWT kam an der Adresse einer anderen Art an.',
    claims_invalid:
      'Ein Claim fehlt, hat die falsche Form, oder gilt jemand anderem (DOWEL_AUDIENCE).',
    expired: 'Das JWT galt bei der Ankunft nicht mehr. Vergleichen Sie die Uhren beider Server.',
    not_yet_valid: 'Das JWT liegt in der Zukunft. Vergleichen Sie die Uhren beider Server.',
    plugin_not_ours: 'Das Ereignis gilt einem Plug-in, das nicht in DOWEL_PLUGIN_IDS steht.',
    base_url_not_allowed:
      'Das Ereignis nennt eine API, die weder beim Aussteller noch in DOWEL_API_ORIGINS steht, oder eine private Adresse außerhalb von DOWEL_INTERNAL_HOSTS. Die Log-Zeile nennt den Wert. Setzen, dann neu installieren.',
    base_url_changed:
      'Das Ereignis nennt einen anderen Pfad der Basis-URL als bisher. Neu installieren nimmt ihn an.',
    relative_url_not_allowed:
      'Das Ereignis nennt einen Token-Endpunkt, der kein einfacher Pfad ist und nicht in DOWEL_API_ORIGINS steht.',
    plugin_mismatch: 'Ereignis oder Widget gehören zu einem anderen Plug-in dieses Servers.',
    after_uninstall: 'Das Ereignis gehört zu einer früheren Installation.',
    superseded: 'Token eines neueren Ereignisses sind schon gespeichert und bleiben.',
    in_progress: 'Eine andere Zustellung desselben Ereignisses wird gerade entschieden.',
    not_installed: 'Das Ereignis gilt einem Widget, aber die Installation hat noch nicht begonnen.',
    exchange_failed:
      'Der Token-Endpunkt gab keine brauchbare Antwort. Die Plattform darf erneut senden.',
    exchange_rejected: 'Der Token-Endpunkt nahm den Code nicht an.',
    hook_refused: 'beforeInstall des Plug-ins lehnte die Installation ab.',
    hook_failed: 'beforeInstall des Plug-ins ist fehlgeschlagen. Die Plattform darf erneut senden.',
    hook_timed_out:
      'beforeInstall des Plug-ins dauerte zu lange. Die Plattform darf erneut senden.',
    hooks_full: 'Zu viele beforeInstall liefen zugleich. Die Plattform darf erneut senden.',
    tenant_unknown: 'Der Mandant hat keine lebende Installation.',
    instance_unknown:
      'Das Widget wurde entfernt oder nie platziert: entfernen und neu platzieren. Geht keine Seite, hat ihr src eine andere Form als vorher: siehe DOWEL_UNMATCHED_PAGES.',
    session_nonce_unknown:
      'Das Init-JWT trägt keine frische Nonce, die DOWEL_SESSION_NONCE verlangt.',
    session_of_earlier_life: 'Das Init-JWT ist älter als die letzte Deinstallation.',
    session_replay: 'Das Init-JWT hat schon eine Sitzung eröffnet.',
    scope_missing: 'Die Plattform erteilte einen Scope nicht, ohne den das Plug-in nicht arbeitet.',
    token_response_invalid: 'Der Token-Endpunkt antwortete etwas, das keine Token-Antwort ist.',
    token_tenant_mismatch: 'Die Token-Antwort gehört einem anderen Mandanten.',
    token_endpoint_unreachable: 'Der Token-Endpunkt antwortete nicht rechtzeitig.',
    address_not_allowed:
      'Der Token-Endpunkt hat eine private Adresse außerhalb von DOWEL_INTERNAL_HOSTS oder steht nicht in DOWEL_API_ORIGINS.',
    client_id_not_usable: 'Die Client-ID enthält einen Doppelpunkt, den Basic nicht senden kann.',
    refresh_unanswered: 'Das Refresh-Token wurde zweimal ohne Antwort vorgelegt.',
    code_unanswered: 'Der Code wurde zweimal ohne Antwort vorgelegt.',
    no_refresh_token:
      'Kein Refresh-Token ist gespeichert. Nur ein neues access_token-Ereignis hilft.',
    turn_missed: 'Frühere Anfragen blieben ohne Antwort, diese kam nicht an die Reihe.',
    lease_lapsed:
      'Die Zeit war vor dem Senden vorbei, oder der Prozess endete. Nichts wurde gesendet.',
    secret_integrity:
      'Ein gespeicherter Wert lässt sich nicht entschlüsseln. Ein neues Ereignis ersetzt ihn.',
    no_trigger_event:
      'Die Plattform gab keinen brauchbaren Weg, ein neues access_token-Ereignis anzufordern.',
    trigger_address_not_allowed:
      'Die Anforderung eines neuen Ereignisses geht an einen Origin außerhalb von DOWEL_API_ORIGINS.',
    trigger_unreachable: 'Die Anforderung eines neuen Ereignisses blieb ohne Antwort.',
    platform_unreachable:
      'Ein Aufruf fand keine Verbindung zur Plattform, oder die Verbindung riss ab.',
    platform_5xx: 'Die Plattform beantwortete einen Aufruf mit einem eigenen Fehler.',
    platform_429: 'Der Plattform waren es zu viele Aufrufe.',
    token_refused: 'Die Plattform lehnte einen Aufruf mit einem eben erteilten Token ab.',
    no_token: 'Ein Aufruf bekam in seiner Zeit kein Access-Token.',
    timed_out: 'Die Plattform beantwortete einen Aufruf nicht rechtzeitig.',
    access_denied: 'Die Plattform lehnte die Anfrage ab.',
    authorization_pending: 'Die Freigabe steht noch aus.',
    consent_required: 'Die Plattform will die Zustimmung einer Person.',
    expired_token: 'Der Code ist abgelaufen.',
    insufficient_scope: 'Die Plattform will einen Scope, der nicht erteilt ist.',
    interaction_required: 'Die Plattform will, dass sich eine Person anmeldet.',
    invalid_client: 'Die Plattform nahm Client-ID und Geheimnis nicht an.',
    invalid_grant: 'Code oder Refresh-Token war benutzt, widerrufen oder abgelaufen.',
    invalid_request: 'Die Plattform konnte die Token-Anfrage nicht lesen.',
    invalid_scope: 'Die Plattform kennt einen angefragten Scope nicht.',
    invalid_target: 'Die Plattform kennt die angefragte Ressource nicht.',
    invalid_token: 'Die Plattform nimmt das Token nicht an.',
    login_required: 'Die Plattform will, dass sich eine Person anmeldet.',
    server_error: 'Der Token-Endpunkt meldet einen Fehler.',
    slow_down: 'Die Plattform will weniger Anfragen.',
    temporarily_unavailable: 'Der Token-Endpunkt ist überlastet oder wird gewartet.',
    unauthorized_client: 'Die Plattform erlaubt diesem Client diesen Grant nicht.',
    unsupported_grant_type: 'Die Plattform kennt diesen Grant nicht.',
    unsupported_token_type: 'Die Plattform kennt diese Art Token nicht.',
  },
};
