/** Passwords of accounts, in English. */
export const password = {
  password: {
    title: 'Set your password',
    page: 'Set a password',
    lead: 'Choose the password of this account. It then signs you in. The link works once, until {{until}}.',
    account: 'Account',
    present: 'Present password',
    next: 'New password',
    rule: 'At least {{least}} characters. A few words will do.',
    short: 'It needs at least {{least}} characters.',
    again: 'New password again',
    different: 'The two passwords differ.',
    set: 'Set and sign in',
    notSet: 'The password was not set',
    notChecked: 'The link could not be checked',
    dead: {
      used: 'This link was used already',
      expired: 'This link has expired',
      unknown: 'This link does not work',
    },
    instead: {
      used: 'The password is set. If you did not do that, tell an owner at once. If you do not know it any more, ask an owner for another link.',
      expired: 'Ask an owner for another link: one works for 72 hours.',
      unknown:
        'It is not complete, or a newer link has replaced it. Open the whole link that you received last, or ask an owner for another one.',
    },
    toSignIn: 'To the sign-in',
    change: 'Change password',
    whatChange:
      'You stay signed in here. Your other sessions end at once, and runs that you began stop.',
    notChanged: 'Not changed',
    changed: 'Your password is changed. Your other sessions have ended.',
  },
} as const;
