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
    or: 'oder',
    code: 'Einmalcode',
    codeLead:
      'Öffnen Sie den Link, den „dowel sign-in“ dort ausgibt, wo Dowel läuft, oder geben Sie seinen Code hier ein. Er gilt einmal, zehn Minuten lang.',
    useCode: 'Diesen Code verwenden',
    failed: 'Nicht angemeldet',
    wrongCode:
      'Dieser Code ist falsch, wurde schon verwendet oder ist zehn Minuten alt. „dowel sign-in“ gibt einen neuen Link aus.',
    wrongPassword:
      'Name oder Passwort ist falsch. Ein Inhaber setzt mit „dowel users password“ ein neues Passwort.',
    tooMany: 'Zu viele Versuche. Warten Sie 15 Minuten oder verwenden Sie einen Einmalcode.',
  },
};
