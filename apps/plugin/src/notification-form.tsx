import { useId } from 'react';
import { ProblemMessage } from './problem-message.tsx';
import { TextField } from './text-field.tsx';
import type { Texts } from './texts.ts';
import { type Phase, useNotification } from './use-notification.ts';

export interface NotificationFormProps {
  /** The initial recipient. */
  recipientEmail: string;
  texts: Texts;
}

const maxMessageLength = 200;

/** Writes to one colleague through the plug-in's back end. */
export function NotificationForm({ recipientEmail, texts }: NotificationFormProps) {
  const { draft, problems, phase, change, submit } = useNotification(recipientEmail, texts);
  const titleId = useId();
  const isBusy = phase.name === 'sending';
  return (
    <form noValidate aria-labelledby={titleId} onSubmit={(event) => void submit(event)}>
      <h2 id={titleId}>{texts.formTitle}</h2>
      <TextField
        label={texts.emailLabel}
        problem={problems.email}
        name="email"
        type="email"
        autoComplete="off"
        maxLength={320}
        placeholder={texts.emailHint}
        readOnly={isBusy}
        required
        value={draft.email}
        onValue={(email) => change({ email })}
      />
      <TextField
        label={texts.messageLabel}
        hint={texts.characters(draft.message.length, maxMessageLength)}
        problem={problems.message}
        isMultiline
        name="message"
        maxLength={maxMessageLength}
        placeholder={texts.messageHint}
        readOnly={isBusy}
        required
        value={draft.message}
        onValue={(message) => change({ message })}
      />
      <SendButton phase={phase} texts={texts} />
      {phase.name === 'failed' && <ProblemMessage error={phase.error} texts={texts} />}
    </form>
  );
}

function SendButton({ phase, texts }: { phase: Phase; texts: Texts }) {
  const isBusy = phase.name === 'sending';
  return (
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
  );
}
