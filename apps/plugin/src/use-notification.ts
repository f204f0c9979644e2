/** A notification that is written, checked when it is submitted, and sent once. */
import { useAdapter } from '@dowel/adapter/react';
import { type SubmitEvent, useRef, useState } from 'react';
import { notify } from './back-end.ts';
import { isEmail } from './is-email.ts';
import type { Texts } from './texts.ts';

export interface Draft {
  email: string;
  message: string;
}

export type Phase =
  | { name: 'editing' }
  | { name: 'sending' }
  | { name: 'sent'; email: string }
  | { name: 'failed'; error: unknown };

type Problems = { [Field in keyof Draft]?: string | undefined };

/** @param recipientEmail the initial recipient. */
export function useNotification(recipientEmail: string, texts: Texts) {
  const adapter = useAdapter();
  const [draft, setDraft] = useState<Draft>({ email: recipientEmail, message: '' });
  const [isChecked, setIsChecked] = useState(false);
  const [phase, setPhase] = useState<Phase>({ name: 'editing' });
  const isSending = useRef(false);
  const found = findProblems(draft, texts);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSending.current) return;
    setIsChecked(true);
    if (found.email || found.message) {
      setPhase({ name: 'editing' });
      focusField(event.currentTarget, found.email ? 'email' : 'message');
      return;
    }
    isSending.current = true;
    setPhase({ name: 'sending' });
    setPhase(await send());
    isSending.current = false;
  }

  async function send(): Promise<Phase> {
    const email = draft.email.trim();
    try {
      await notify(adapter, { recipientEmail: email, message: draft.message.trim() });
      setDraft((last) => ({ ...last, message: '' }));
      setIsChecked(false);
      return { name: 'sent', email };
    } catch (error) {
      return { name: 'failed', error };
    }
  }

  return {
    draft,
    /** Only after the first attempt to send. */
    problems: isChecked ? found : {},
    phase,
    change: (changes: Partial<Draft>) => setDraft((last) => ({ ...last, ...changes })),
    submit,
  };
}

function findProblems({ email, message }: Draft, texts: Texts): Problems {
  return {
    email: isEmail(email) ? undefined : texts.emailInvalid,
    message: message.trim() === '' ? texts.messageMissing : undefined,
  };
}

function focusField(form: HTMLFormElement, name: keyof Draft): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}
