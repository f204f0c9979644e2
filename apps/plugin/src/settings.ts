/** The settings of one placed widget. Every viewer can read them, so they must contain no secrets. */
export interface Settings {
  /** Shown above the form. */
  intro: string;
  /** The initial recipient. */
  recipientEmail: string;
}

export const maxIntroLength = 200;

/** @throws TypeError for settings of another shape. Missing fields are empty. */
export function parseSettings(stored: unknown): Settings {
  const { intro = '', recipientEmail = '' } = stored as Partial<Record<keyof Settings, unknown>>;
  if (typeof intro !== 'string' || typeof recipientEmail !== 'string') {
    throw new TypeError('The settings "intro" and "recipientEmail" are texts');
  }
  return { intro, recipientEmail };
}
