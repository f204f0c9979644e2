/** The sign-in page, in English. */
export const signIn = {
  signIn: {
    title: 'Sign in to Dowel',
    page: 'Sign in',
    submit: 'Sign in',
    name: 'Name',
    password: 'Password',
    show: 'Show the password',
    provider: 'Sign in with single sign-on',
    refused: {
      expired:
        'The sign-in took longer than ten minutes, or began in another browser. Begin again.',
      refused: 'The identity provider did not sign you in. Try again, or ask its administrators.',
      no_role:
        'The identity provider knows you, but gives you no role in Dowel. Ask your administrators for a group that has one.',
      provider_failed:
        'The identity provider did not answer as it should. Dowel’s log says why. Try again, or use a one-time code.',
      too_many:
        'Too many single sign-ons from your address failed. Wait 15 minutes and try again, or use a one-time code.',
    },
    ended: {
      reading: 'Your session has ended.',
      acting: 'Your session has ended. What you sent last was not done.',
    },
    or: 'or',
    code: 'One-time code',
    codeLead:
      'Open the link that “dowel sign-in” prints where Dowel runs, or enter its code here. It works once, within ten minutes.',
    useCode: 'Use this code',
    failed: 'Not signed in',
    wrongCode:
      'This code is wrong, was used before, or is ten minutes old. “dowel sign-in” prints a new link.',
    wrongPassword:
      'The name or the password is wrong. If you do not know it any more, ask an owner for a link.',
    tooMany: 'Too many attempts. Wait 15 minutes, or use a one-time code.',
  },
} as const;
