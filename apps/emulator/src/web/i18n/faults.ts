/** The sentences of the faults: in English those that the control API describes them with. */
import { type FaultName, faultDescriptions } from '@dowel/emulator/control-api';

interface FaultWords {
  does: string;
  good: string;
}

export type FaultTexts = Record<`${FaultName}.${keyof FaultWords}`, string>;

const german: Record<FaultName, FaultWords> = {
  'token.lostAnswer': {
    does: 'Der Code oder Refresh-Token ist verbraucht, und die Verbindung endet ohne Antwort.',
    good: 'Lehnt nach einem Code das Ereignis ab; fordert nach einer Erneuerung einmal ein neues Ereignis an und braucht dafür niemanden.',
  },
  'token.hang': {
    does: 'Nichts ist verbraucht, und es kommt nie eine Antwort.',
    good: 'Bricht rechtzeitig ab, um das Ereignis innerhalb von 30 s zu beantworten, behält seine Token und versucht es später.',
  },
  'token.slow': {
    does: 'Die Antwort kommt `ms` später.',
    good: 'Wartet und beantwortet das Ereignis erst, wenn die Token gespeichert sind.',
  },
  'token.unavailable': {
    does: 'Nichts ist verbraucht, und die Antwort ist `status`.',
    good: 'Lehnt nach einem Code das Ereignis ab; behält nach einer Erneuerung seine Token und versucht es später.',
  },
  'token.limited': {
    does: 'Nichts ist verbraucht, und die Antwort ist 429.',
    good: 'Behält seine Token und wartet die Zeit ab, die `Retry-After` nennt.',
  },
  'token.refused': {
    does: 'Nichts ist verbraucht, und die Antwort ist 400 mit `error`.',
    good: 'Lehnt nach einem Code das Ereignis ab; fordert nach einer Erneuerung einmal ein neues Ereignis an.',
  },
  'token.notJson': {
    does: 'Nichts ist verbraucht, und die Antwort ist eine HTML-Seite mit `status`.',
    good: 'Meldet das, antwortet nie mit 201, behält seine Token und versucht es später.',
  },
  'token.cutOff': {
    does: 'Der Code oder Refresh-Token ist verbraucht, und nur die Hälfte der Antwort kommt.',
    good: 'Behandelt sie wie eine verlorene Antwort.',
  },
  'token.oversized': {
    does: 'Nichts ist verbraucht, und die Antwort hat 10 MB.',
    good: 'Bricht das Lesen früh ab und behandelt sie wie keine Antwort.',
  },
  'token.answer': {
    does: 'Felder der Antwort werden durch `set` ersetzt und durch `unset` weggelassen.',
    good: 'Ignoriert, was es nicht kennt, behält seinen Refresh-Token, wenn keiner kommt, und lehnt ab, was es nicht verwenden kann.',
  },
  'trigger.refused': {
    does: 'Die Antwort ist `status`, und kein Ereignis folgt.',
    good: 'Sagt dem Aufrufer, wann er es wieder versuchen soll, und löst nicht in einer Schleife aus.',
  },
  'trigger.silent': {
    does: 'Die Antwort ist 202, und kein Ereignis folgt.',
    good: 'Lässt Aufrufer nur für begrenzte Zeit warten.',
  },
  'trigger.late': {
    does: 'Das Ereignis kommt `ms` nach der Antwort.',
    good: 'Lässt Aufrufer warten und sendet währenddessen keinen zweiten Trigger.',
  },
  'event.repeated': {
    does: 'Das Ereignis kommt noch `copies` Mal: nacheinander oder gleichzeitig, unverändert oder neu signiert.',
    good: 'Beantwortet jede Kopie gleich und legt einen Code nur einmal vor.',
  },
  'event.late': {
    does: 'Das Ereignis wird rechtzeitig signiert und kommt `ms` später oder direkt nach dem nächsten Ereignis `until` des Plug-ins.',
    good: 'Ändert nichts wegen eines uninstall, das älter als die neueste Installation ist.',
  },
  'event.claims': {
    does: 'Claims werden durch `set` ersetzt, auch innerhalb von Objekten, und durch `unset` weggelassen.',
    good: 'Ignoriert, was es nicht kennt, und lehnt mit Begründung ab, was es nicht verwenden kann.',
  },
  'event.clock': {
    does: '`iat` und `exp` liegen `seconds` in der Zukunft, bei negativem Wert in der Vergangenheit.',
    good: 'Nimmt einen Unterschied von einigen Sekunden hin und lehnt einen von zehn Minuten mit Begründung ab.',
  },
  'event.keyRotated': {
    does: 'Ab diesem Ereignis signiert ein neuer Schlüssel mit einer neuen URL.',
    good: 'Lädt den neuen Schlüssel einmal und antwortet mit 201.',
  },
  'event.reordered': {
    does: 'Bei einer Installation kommt access_token vor install.',
    good: 'Braucht kein install-Ereignis, um die Token zu verwenden.',
  },
  'event.afterUninstall': {
    does: 'Ein access_token-Ereignis, das vor einem uninstall signiert wurde, kommt danach.',
    good: 'Beginnt damit kein neues Leben der Installation.',
  },
  'key.down': {
    does: 'Die Verbindung zum Schlüssel-Host endet ohne Antwort.',
    good: 'Verwendet den Schlüssel, den es kennt; lehnt sonst vorerst ab und fragt bald wieder.',
  },
  'key.slow': {
    does: 'Das Schlüsseldokument kommt `ms` später.',
    good: 'Beantwortet das Ereignis innerhalb von 30 s und lädt einen Schlüssel einmal für alle, die warten.',
  },
  'key.redirect': {
    does: 'Der Schlüssel-Host antwortet mit 302 nach `location` oder auf dasselbe Dokument mit einem Query.',
    good: 'Folgt keiner Weiterleitung.',
  },
  'key.notFound': {
    does: 'Der Schlüssel-Host antwortet mit 404.',
    good: 'Lehnt das Ereignis ab und merkt sich den Fehler nicht lange.',
  },
  'api.unauthorized': {
    does: 'Gültige Access-Token werden mit 401 beantwortet: `ms` später, nach der nächsten Token-Anfrage `until`, oder `hold` davon gemeinsam.',
    good: 'Erneuert einmal für alle wartenden Aufrufe und wiederholt jeden davon einmal.',
  },
  'api.scopeWithdrawn': {
    does: 'Ein Aufruf wird mit 403 beantwortet, als wäre sein Scope entzogen.',
    good: 'Sagt dem Aufrufer, dass der Scope fehlt, und erneuert nichts.',
  },
  'api.limited': {
    does: 'Ein Aufruf wird mit 429 beantwortet.',
    good: 'Wartet die Zeit ab, die `Retry-After` nennt, oder sagt der Seite, wann sie es wieder versuchen soll.',
  },
  'api.status': {
    does: 'Ein Aufruf wird mit `status` beantwortet, und nichts geschieht.',
    good: 'Erneuert nichts und sendet kein POST ein zweites Mal.',
  },
  'api.hang': {
    does: 'Ein Aufruf wird nie beantwortet.',
    good: 'Gibt nach einigen Sekunden auf und lässt keinen anderen Aufruf warten.',
  },
  'api.off': {
    does: 'Ein Aufruf wird mit 404 beantwortet, als hätte der Mandant diesen Teil der API nicht.',
    good: 'Sagt es dem Aufrufer und behält seine Token.',
  },
};

function toTexts(words: readonly (FaultWords & { name: string })[]): FaultTexts {
  const entries = words.flatMap(({ name, does, good }) => [
    [`${name}.does`, does],
    [`${name}.good`, good],
  ]);
  return Object.fromEntries(entries) as FaultTexts;
}

export const faultTexts = {
  en: toTexts(faultDescriptions),
  de: toTexts(Object.entries(german).map(([name, words]) => ({ name, ...words }))),
};
