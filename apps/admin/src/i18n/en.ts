/** Every text of the dashboard in English. `de.ts` has the same keys. */
export const en = {
  language: { name: 'English', title: 'Language' },
  nav: {
    main: 'Main',
    installations: 'Installations',
    more: 'More',
    skip: 'Skip to content',
    side: 'Navigation and settings',
  },
  shell: {
    appearance: 'Theme and language',
    signOut: 'Sign out',
    scheme: 'Colour scheme',
    light: 'Light',
    dark: 'Dark',
    auto: 'Auto',
    live: 'Live',
    connecting: 'Connecting…',
    cutOff: 'Not live since {{time}}',
    notFoundTitle: 'Not found',
    notFound: 'There is no such page',
    allInstallations: 'All installations',
    notAvailable: 'Not available',
    startFailed: 'The dashboard cannot be loaded',
  },
  failure: {
    tryAgain: 'Try again',
    unreachable: 'Dowel does not answer. Is it running?',
    answerInvalid: 'Dowel gave an answer that this page does not understand. Load the page again.',
    status: 'Dowel answered {{status}}.',
    unknown: 'Something failed without saying why.',
  },
  time: {
    days: '{{days}} d {{hours}} h',
    hours: '{{hours}} h {{minutes}} min',
    minutes: '{{minutes}} min',
    seconds: '{{seconds}} s',
    ago: '{{age}} ago',
    justNow: 'just now',
  },
} as const;

/** The same keys, any words. */
export type Texts<T = typeof en> = {
  readonly [K in keyof T]: T[K] extends string ? string : Texts<T[K]>;
};
