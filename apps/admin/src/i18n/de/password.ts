/** Passwords of accounts, in German. */
import type { password as english } from '../en/password.ts';
import type { Texts } from '../texts.ts';

export const password: Texts<typeof english> = {
  password: {
    title: 'Passwort festlegen',
    page: 'Passwort festlegen',
    lead: 'Wählen Sie das Passwort für dieses Konto; danach sind Sie angemeldet. Der Link gilt einmal, bis {{until}}.',
    account: 'Konto',
    present: 'Derzeitiges Passwort',
    next: 'Neues Passwort',
    rule: 'Mindestens {{least}} Zeichen. Ein paar Wörter genügen.',
    short: 'Es braucht mindestens {{least}} Zeichen.',
    again: 'Neues Passwort wiederholen',
    different: 'Die beiden Passwörter stimmen nicht überein.',
    set: 'Festlegen und anmelden',
    notSet: 'Das Passwort wurde nicht festgelegt',
    notChecked: 'Der Link konnte nicht geprüft werden',
    dead: {
      used: 'Dieser Link wurde schon verwendet',
      expired: 'Dieser Link ist abgelaufen',
      unknown: 'Dieser Link funktioniert nicht',
    },
    instead: {
      used: 'Das Passwort ist festgelegt. Waren Sie das nicht, sagen Sie es sofort einem Eigentümer. Haben Sie es vergessen, bitten Sie einen Eigentümer um einen neuen Link.',
      expired: 'Bitten Sie einen Eigentümer um einen neuen Link. Er gilt 72 Stunden.',
      unknown:
        'Er ist unvollständig oder wurde durch einen neueren ersetzt. Öffnen Sie den vollständigen Link, den Sie zuletzt erhalten haben, oder bitten Sie einen Eigentümer um einen neuen.',
    },
    toSignIn: 'Zur Anmeldung',
    change: 'Passwort ändern',
    whatChange:
      'Sie bleiben hier angemeldet. Ihre anderen Sitzungen enden sofort, und Läufe, die Sie begonnen haben, werden angehalten.',
    notChanged: 'Nicht geändert',
    changed: 'Ihr Passwort ist geändert. Ihre anderen Sitzungen sind beendet.',
  },
};
