/** The sign-in page, in English. */
export const signIn = {
  signIn: {
    title: 'Sign in to Dowel',
    page: 'Sign in',
    submit: 'Sign in',
    name: 'Name',
    password: 'Password',
    show: 'Show the password',
    or: 'or',
    code: 'One-time code',
    codeLead:
      'Open the link that “dowel sign-in” prints where Dowel runs, or enter its code here. It works once, within ten minutes.',
    useCode: 'Use this code',
    failed: 'Not signed in',
    wrongCode:
      'This code is wrong, was used before, or is ten minutes old. “dowel sign-in” prints a new link.',
    wrongPassword:
      'The name or the password is wrong. An owner sets a new password with “dowel users password”.',
    tooMany: 'Too many attempts. Wait 15 minutes, or use a one-time code.',
  },
} as const;
