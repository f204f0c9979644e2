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
    show: 'Passwort zeigen',
    provider: 'Mit Single Sign-on anmelden',
    refused: {
      expired:
        'Die Anmeldung dauerte länger als zehn Minuten oder begann in einem anderen Browser. Beginnen Sie noch einmal.',
      refused:
        'Der Identitätsanbieter hat Sie nicht angemeldet. Versuchen Sie es noch einmal oder fragen Sie, wer ihn verwaltet.',
      no_role:
        'Der Identitätsanbieter kennt Sie, gibt Ihnen aber keine Rolle in Dowel. Fragen Sie, wer ihn verwaltet, nach einer Gruppe, die eine hat.',
      provider_failed:
        'Der Identitätsanbieter hat nicht geantwortet, wie er soll. Der Grund steht im Log von Dowel. Versuchen Sie es noch einmal oder verwenden Sie einen Einmalcode.',
      too_many:
        'Von Ihrer Adresse sind zu viele Anmeldungen mit Single Sign-on fehlgeschlagen. Versuchen Sie es in 15 Minuten noch einmal oder verwenden Sie einen Einmalcode.',
    },
    ended: {
      reading: 'Ihre Sitzung ist beendet.',
      acting: 'Ihre Sitzung ist beendet. Was Sie zuletzt gesendet haben, ist nicht geschehen.',
    },
    or: 'oder',
    code: 'Einmalcode',
    codeLead:
      'Öffnen Sie den Link, den „dowel sign-in“ dort ausgibt, wo Dowel läuft, oder geben Sie seinen Code hier ein. Er gilt einmal, zehn Minuten lang.',
    useCode: 'Diesen Code verwenden',
    failed: 'Nicht angemeldet',
    wrongCode:
      'Dieser Code ist falsch, wurde schon verwendet oder ist zehn Minuten alt. „dowel sign-in“ gibt einen neuen Link aus.',
    wrongPassword:
      'Name oder Passwort ist falsch. Ein Eigentümer setzt mit „dowel users password“ ein neues Passwort.',
    tooMany: 'Zu viele Versuche. Warten Sie 15 Minuten oder verwenden Sie einen Einmalcode.',
  },
};
