/** Keys and trust, in German. */
import type { trust as english } from '../en/trust.ts';
import type { Texts } from '../texts.ts';

export const trust: Texts<typeof english> = {
  trust: {
    onlyOperators: 'Operatoren und Eigentümer sehen die Schlüssel.',
    failed: 'Die Schlüssel konnten nicht geladen werden',
    encryption: 'Verschlüsselung',
    encryptionNote:
      'Mit diesen Schlüsseln werden Token, Client-Secrets und Trigger verschlüsselt. Die Schlüssel selbst werden nie angezeigt.',
    step: {
      none: 'Ein Schlüssel verschlüsselt alle Werte. Es läuft kein Wechsel.',
      restart: 'Wechsel läuft: Einige Prozesse verschlüsseln noch mit einem alten Schlüssel.',
      counting: 'Es gibt einen alten Schlüssel. Seine Werte werden gezählt.',
      reencrypt: 'Wechsel läuft: Alte Schlüssel schützen noch {{values}} von {{total}} Werten.',
      prune:
        'Wechsel abgeschlossen: Kein Wert braucht mehr einen alten Schlüssel. Diese können entfernt werden: {{ids}}.',
      restore: 'Gespeicherte Werte brauchen Schlüssel, die in der Schlüsseldatei fehlen: {{ids}}.',
    },
    advice: {
      none: 'Wechseln Sie den Schlüssel einmal im Jahr. Führen Sie auf dem Server von Dowel aus:',
      restart:
        'Starten Sie die Prozesse, die vor dem Wechsel gestartet wurden, nacheinander neu. Die Anzeige hier folgt innerhalb von zwei Minuten.',
      counting: 'Der nächste Schritt steht fest, sobald die Zählung abgeschlossen ist.',
      reencrypt:
        'Führen Sie als Nächstes auf dem Server von Dowel aus (kann unterbrochen und neu gestartet werden):',
      prune:
        'Führen Sie als Nächstes auf dem Server von Dowel aus. Vor dem Entfernen wird noch einmal gezählt. Bewahren Sie eine Kopie des Schlüssels auf, solange es ältere Sicherungen gibt:',
      restore:
        'Tragen Sie sie wieder in die Schlüsseldatei ein, einen je Zeile. Prüfen Sie danach mit:',
    },
    share: '{{share}} der Werte sind mit dem neuen Schlüssel verschlüsselt',
    counted: 'Gezählt {{at}}',
    counting_one: 'Zählung läuft: {{rows}} Zeile gelesen',
    counting_other: 'Zählung läuft: {{rows}} Zeilen gelesen',
    unnamed_one: '{{values}} Wert nennt keinen Schlüssel: Er ist beschädigt.',
    unnamed_other: '{{values}} Werte nennen keinen Schlüssel: Sie sind beschädigt.',
    key: 'Schlüssel',
    state: 'Zustand',
    active: 'Aktiv',
    next: 'Aktiv nach einem Neustart',
    old: 'Nur zum Lesen',
    missing: 'Fehlt',
    values: 'Werte',
    since: 'Aktiv seit',
    todo: 'Was zu tun ist',
    do: {
      active: 'Kopie der Schlüsseldatei aufbewahren',
      next: 'Diesen Prozess neu starten',
      sealing: 'Behalten: Ein Prozess verschlüsselt damit',
      needed: 'Behalten: Werte brauchen ihn',
      free: 'Kann entfernt werden',
      missing: 'Wieder eintragen',
      unknown: 'Wird gezählt',
    },
    rules: 'Vertrauensregeln',
    rulesNote:
      'Wessen Ereignisse angenommen werden und wessen Schlüssel sie signieren dürfen. Festgelegt mit DOWEL_TRUST oder im Programm.',
    noRules: 'Keine Vertrauensregel',
    noRulesNote:
      'Alle Ereignisse und Sitzungen werden abgewiesen. Setzen Sie DOWEL_TRUST und starten Sie Dowel neu.',
    issuer: 'Aussteller',
    anyIssuer: 'Jeder Aussteller',
    location: 'Schlüssel von',
    fetched: 'Abgerufen',
    age: 'Alter',
    pinned_one: '{{n}} fester Schlüssel',
    pinned_other: '{{n}} feste Schlüssel',
    rule: {
      pinned: 'Fest',
      reachable: 'Erreichbar',
      unasked: 'Noch nicht abgefragt',
      stale: 'Keine Antwort seit {{at}}, es gilt der Zwischenspeicher',
      failing: 'Kein Schlüssel seit {{at}}',
    },
    cached: 'Signaturschlüssel im Zwischenspeicher',
    cachedNote:
      'Zwischenspeicher des Prozesses {{pid}}, der seit {{at}} läuft. Jeder Prozess hat seinen eigenen.',
    noneCached:
      'Dieser Prozess hat noch keinen Schlüssel abgerufen. Das geschieht beim ersten Ereignis oder bei der ersten Sitzung.',
    hidden_one: '{{n}} weiterer Ort wird nicht angezeigt.',
    hidden_other: '{{n}} weitere Orte werden nicht angezeigt.',
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
      title: 'Datenformate der Plattform',
      note: 'Wie Ereignisse, Seiten und Antworten der Plattform aufgebaut sind: Felder und Formate, keine Werte. Für eine öffentliche Fehlermeldung, wenn etwas nicht passt.',
      copy: 'Formate kopieren',
      copied: 'Kopiert',
      failed: 'Die Formate konnten nicht geladen werden',
      notCopied: 'Kopieren ist hier nicht möglich. Markieren Sie den Text darunter.',
    },
  },
};
