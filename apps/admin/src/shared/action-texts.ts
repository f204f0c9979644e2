/** The actions' names among the texts. */
export const actionTexts = {
  ask: 'ask',
  refresh: 'refresh',
  test: 'test',
  pause: 'pause',
  resume: 'resume',
  'end-sessions': 'endSessions',
  acknowledge: 'acknowledge',
  keep: 'keep',
  purge: 'purge',
} as const;

/** An action that has a button of its own. */
export type OfferedAction = keyof typeof actionTexts;
