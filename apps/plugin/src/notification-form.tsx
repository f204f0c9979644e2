import { useAdapter } from '@dowel/adapter/react';
import { type SubmitEvent, useId, useRef, useState } from 'react';
import { notify } from './back-end.ts';
import { isEmail } from './is-email.ts';
import { ProblemMessage } from './problem-message.tsx';
import { TextField } from './text-field.tsx';
import type { Texts } from './texts.ts';

export interface NotificationFormProps {
  /** The initial recipient. */
  recipientEmail: string;
  texts: Texts;
}

type Phase =
  | { name: 'editing' }
  | { name: 'sending' }
  | { name: 'sent'; email: string }
  | { name: 'failed'; error: unknown };

const maxMessageLength = 200;

/** Writes to one colleague through the plug-in's back end. */
export function NotificationForm({ recipientEmail, texts }: NotificationFormProps) {
  const adapter = useAdapter();
  const [email, setEmail] = useState(recipientEmail);
  const [message, setMessage] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const [phase, setPhase] = useState<Phase>({ name: 'editing' });
  const isSending = useRef(false);
  const titleId = useId();

  const emailProblem = isEmail(email) ? undefined : texts.emailInvalid;
  const messageProblem = message.trim() === '' ? texts.messageMissing : undefined;

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSending.current) return;
    setIsChecked(true);
    if (emailProblem || messageProblem) {
      setPhase({ name: 'editing' });
      const invalid = event.currentTarget.elements.namedItem(emailProblem ? 'email' : 'message');
      if (invalid instanceof HTMLElement) invalid.focus();
      return;
    }
    isSending.current = true;
    setPhase({ name: 'sending' });
    setPhase(await send());
    isSending.current = false;
  }

  async function send(): Promise<Phase> {
    try {
      await notify(adapter, { recipientEmail: email.trim(), message: message.trim() });
      setMessage('');
      setIsChecked(false);
      return { name: 'sent', email: email.trim() };
    } catch (error) {
      return { name: 'failed', error };
    }
  }

  const isBusy = phase.name === 'sending';
  return (
    <form noValidate aria-labelledby={titleId} onSubmit={(event) => void submit(event)}>
      <h2 id={titleId}>{texts.formTitle}</h2>
      <TextField
        label={texts.emailLabel}
        problem={isChecked ? emailProblem : undefined}
        name="email"
        type="email"
        autoComplete="off"
        maxLength={320}
        placeholder={texts.emailHint}
        readOnly={isBusy}
        required
        value={email}
        onValue={setEmail}
      />
      <TextField
        label={texts.messageLabel}
        hint={texts.characters(message.length, maxMessageLength)}
        problem={isChecked ? messageProblem : undefined}
        isMultiline
        name="message"
        maxLength={maxMessageLength}
        placeholder={texts.messageHint}
        readOnly={isBusy}
        required
        value={message}
        onValue={setMessage}
      />
      <div className="actions">
        <p role="status" className={phase.name === 'sent' ? 'success' : 'quiet'}>
          {isBusy && texts.sending}
          {phase.name === 'sent' && texts.sent(phase.email)}
        </p>
        {/* aria-disabled keeps the focus; the second click of a double click is dropped. */}
        <button
          type="submit"
          className="primary"
          aria-disabled={isBusy}
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          {texts.send}
        </button>
      </div>
      {phase.name === 'failed' && <ProblemMessage error={phase.error} texts={texts} />}
    </form>
  );
}
