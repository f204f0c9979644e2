/** The texts of the page, in English and German. */

const english = {
  language: 'en',
  loading: 'One moment …',
  hello: (name: string) => `Hello ${name}!`,
  question: 'What is for lunch?',
  menu: (menu: string) => `Today: ${menu}`,
  soup: 'Soup',
  salad: 'Salad',
  results: (soup: number, salad: number) => `Soup ${soup}, salad ${salad}`,
  alreadyVoted: 'You have voted already',
  failed: 'Your vote did not arrive. Try again later.',
  colleague: 'Ask a colleague (email):',
  invite: 'Ask',
  invited: 'The notification was sent',
  notInvited: 'The notification was not sent. Check the address, or try again later.',
  questionLabel: 'Question',
};

export type Texts = typeof english;

const german: Texts = {
  language: 'de',
  loading: 'Einen Moment …',
  hello: (name) => `Hallo ${name}!`,
  question: 'Was gibt es zum Mittagessen?',
  menu: (menu) => `Heute: ${menu}`,
  soup: 'Suppe',
  salad: 'Salat',
  results: (soup, salad) => `Suppe ${soup}, Salat ${salad}`,
  alreadyVoted: 'Sie haben schon abgestimmt',
  failed: 'Ihre Stimme ist nicht angekommen. Versuchen Sie es später noch einmal.',
  colleague: 'Jemanden fragen (E-Mail):',
  invite: 'Fragen',
  invited: 'Die Benachrichtigung wurde gesendet',
  notInvited:
    'Die Benachrichtigung wurde nicht gesendet. Prüfen Sie die Adresse oder versuchen Sie es später noch einmal.',
  questionLabel: 'Frage',
};

/** Returns German for `de` and every regional German, English for the rest. */
export function textsFor(language: string): Texts {
  return /^de\b/i.test(language) ? german : english;
}
