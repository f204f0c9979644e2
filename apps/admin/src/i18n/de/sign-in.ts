/** The sign-in page, in German. */
import type { signIn as english } from '../en/sign-in.ts';
import type { Texts } from '../texts.ts';

export const signIn: Texts<typeof english> = {
  signIn: {
    title: 'Bei Dowel anmelden',
    page: 'Anmelden',
    submit: 'Anmelden',
    name: 'Name',
    password: 'Passwort',
    show: 'Passwort anzeigen',
    provider: 'Mit Single Sign-on anmelden',
    refused: {
      expired:
        'Die Anmeldung dauerte länger als zehn Minuten oder wurde in einem anderen Browser begonnen. Beginnen Sie noch einmal.',
      refused:
        'Der Identitätsanbieter hat Sie nicht angemeldet. Versuchen Sie es noch einmal oder wenden Sie sich an dessen Administratoren.',
      no_role:
        'Der Identitätsanbieter kennt Sie, aber Sie haben keine Rolle in Dowel. Bitten Sie Ihre Administratoren um die Aufnahme in eine Gruppe mit einer Rolle.',
      provider_failed:
        'Der Identitätsanbieter hat nicht wie erwartet geantwortet. Den Grund nennt das Log von Dowel. Versuchen Sie es noch einmal oder verwenden Sie einen Einmalcode.',
      too_many:
        'Zu viele Anmeldungen mit Single Sign-on von Ihrer Adresse sind fehlgeschlagen. Versuchen Sie es in 15 Minuten erneut oder verwenden Sie einen Einmalcode.',
    },
    ended: {
      reading: 'Ihre Sitzung ist beendet.',
      acting: 'Ihre Sitzung ist beendet. Die letzte Aktion wurde nicht ausgeführt.',
    },
    or: 'oder',
    code: 'Einmalcode',
    codeLead:
      'Öffnen Sie den Link, den „dowel sign-in“ auf dem Server von Dowel ausgibt, oder geben Sie den Code hier ein. Er gilt einmal und zehn Minuten lang.',
    useCode: 'Diesen Code verwenden',
    failed: 'Nicht angemeldet',
    wrongCode:
      'Der Code ist falsch, wurde bereits verwendet oder ist älter als zehn Minuten. „dowel sign-in“ gibt einen neuen Link aus.',
    wrongPassword:
      'Name oder Passwort ist falsch. Haben Sie es vergessen, bitten Sie einen Eigentümer um einen Link.',
    tooMany: 'Zu viele Versuche. Warten Sie 15 Minuten oder verwenden Sie einen Einmalcode.',
  },
};
