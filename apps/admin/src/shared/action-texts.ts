/** The actions' names among the texts. */
export const actionTexts = {
  ask: 'ask',
  refresh: 'refresh',
  test: 'test',
  pause: 'pause',
  resume: 'resume',
  end: 'end',
  'end-sessions': 'endSessions',
  acknowledge: 'acknowledge',
  keep: 'keep',
  purge: 'purge',
} as const;

/** The keys of the actions, on the page of an installation and in the list. */
export const actionLetters: Readonly<Partial<Record<OfferedAction, string>>> = {
  ask: 'e',
  refresh: 'r',
  test: 't',
  pause: 'p',
  resume: 'p',
};

/** An action that has a button of its own. */
export type OfferedAction = keyof typeof actionTexts;

/** Whether an action waits for an answer of the platform. */
export function isSent(action: OfferedAction): boolean {
  return action === 'ask' || action === 'refresh' || action === 'test';
}
