/** Keys and trust, in German. */
import type { trust as english } from '../en/trust.ts';
import type { Texts } from '../texts.ts';

export const trust: Texts<typeof english> = {
  trust: {
    onlyOperators: 'Operatoren und Eigentümer sehen die Schlüssel.',
    failed: 'Die Schlüssel konnten nicht geladen werden',
    encryption: 'Verschlüsselung',
    encryptionNote:
      'Diese Schlüssel versiegeln Token, Client-Secrets und Trigger. Der Schlüssel selbst wird nie gezeigt.',
    step: {
      none: 'Ein Schlüssel versiegelt alles. Es läuft kein Wechsel.',
      restart: 'Wechsel läuft: einige Prozesse versiegeln noch mit einem alten Schlüssel.',
      counting: 'Es gibt einen alten Schlüssel. Seine Werte werden gezählt.',
      reencrypt: 'Wechsel läuft: alte Schlüssel schützen noch {{values}} von {{total}} Werten.',
      prune:
        'Wechsel fertig: kein Wert braucht mehr einen alten Schlüssel. Diese dürfen weg: {{ids}}.',
      restore: 'Gespeicherte Werte brauchen Schlüssel, die in der Schlüsseldatei fehlen: {{ids}}.',
    },
    advice: {
      none: 'Wechseln Sie einmal im Jahr. Dort ausführen, wo Dowel läuft:',
      restart:
        'Starten Sie die Prozesse, die vor dem Wechsel begannen, nacheinander neu. Der Zustand hier folgt binnen zwei Minuten.',
      counting: 'Wie es weitergeht, steht fest, wenn die Zählung endet.',
      reencrypt:
        'Als Nächstes dort ausführen, wo Dowel läuft. Es darf unterbrochen und neu gestartet werden:',
      prune:
        'Als Nächstes dort ausführen, wo Dowel läuft. Vor dem Entfernen wird noch einmal gezählt. Heben Sie eine Kopie des Schlüssels auf, solange es ältere Sicherungen gibt:',
      restore: 'In die Schlüsseldatei zurücklegen, einen je Zeile. Danach prüfen mit:',
    },
    share: '{{share}} der Werte sind mit dem neuen Schlüssel versiegelt',
    counted: 'Gezählt {{at}}',
    counting_one: 'Zählung läuft: {{rows}} Zeile gelesen',
    counting_other: 'Zählung läuft: {{rows}} Zeilen gelesen',
    unnamed_one: '{{values}} Wert nennt keinen Schlüssel: er ist beschädigt.',
    unnamed_other: '{{values}} Werte nennen keinen Schlüssel: sie sind beschädigt.',
    key: 'Schlüssel',
    state: 'Zustand',
    active: 'Aktiv',
    next: 'Aktiv nach einem Neustart',
    old: 'Nur zum Lesen',
    missing: 'Fehlt',
    values: 'Werte',
    since: 'Aktiv seit',
    todo: 'Was tun',
    do: {
      active: 'Kopie der Schlüsseldatei aufheben',
      next: 'Diesen Prozess neu starten',
      sealing: 'Behalten: ein Prozess versiegelt damit',
      needed: 'Behalten: Werte brauchen ihn',
      free: 'Kann entfernt werden',
      missing: 'Zurücklegen',
      unknown: 'Wird gezählt',
    },
    rules: 'Vertrauensregeln',
    rulesNote:
      'Wessen Ereignissen geglaubt wird und wessen Schlüssel sie signieren dürfen. Gesetzt mit DOWEL_TRUST oder vom Programm.',
    noRules: 'Niemandem wird vertraut',
    noRulesNote:
      'Jedes Ereignis und jede Sitzung wird abgewiesen. Setzen Sie DOWEL_TRUST und starten Sie Dowel neu.',
    issuer: 'Aussteller',
    anyIssuer: 'Jeder Aussteller',
    location: 'Schlüssel von',
    fetched: 'Geholt',
    age: 'Alter',
    pinned_one: '{{n}} fester Schlüssel',
    pinned_other: '{{n}} feste Schlüssel',
    rule: {
      pinned: 'Fest',
      reachable: 'Erreichbar',
      unasked: 'Noch nicht gefragt',
      stale: 'Keine Antwort seit {{at}}, Zwischenspeicher dient',
      failing: 'Kein Schlüssel seit {{at}}',
    },
    cached: 'Signaturschlüssel im Zwischenspeicher',
    cachedNote: 'Des Prozesses {{pid}}, läuft seit {{at}}. Jeder Prozess hat seinen eigenen.',
    noneCached:
      'Dieser Prozess hat noch keinen Schlüssel geholt. Das erste Ereignis oder die erste Sitzung holt einen.',
    hidden_one: '{{n}} weiterer Ort ist nicht gezeigt.',
    hidden_other: '{{n}} weitere Orte sind nicht gezeigt.',
    kid: 'Schlüssel-ID',
    noKid: 'ohne ID',
    algorithm: 'Algorithmus',
    bits: '{{number}} Bit',
    fingerprint: 'Fingerabdruck',
    nextFetch: 'Nächster Abruf',
    nextFrom: 'ab {{at}}',
    nextNow: 'mit dem nächsten JWT',
    proven: 'Hat signiert',
    unproven: 'Hat noch nichts signiert',
    noKey: 'Kein Schlüssel',
    shapes: {
      title: 'Formen der Plattform',
      note: 'Wie Ereignisse, Seiten und Antworten der Plattform aussehen: Felder und Formate, keine Werte. Für eine öffentliche Meldung, wenn etwas nicht passt.',
      copy: 'Formen kopieren',
      copied: 'Kopiert',
      failed: 'Die Formen konnten nicht geladen werden',
      notCopied: 'Kopieren geht hier nicht. Markieren Sie den Text darunter.',
    },
  },
};
