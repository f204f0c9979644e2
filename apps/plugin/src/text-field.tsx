import { useId } from 'react';

export interface TextFieldProps {
  label: string;
  /** Shown below, such as a counter. */
  hint?: string;
  /** Why the value cannot be sent. */
  problem?: string | undefined;
  isMultiline?: boolean;
  name: string;
  type?: 'email' | 'text';
  autoComplete?: string;
  maxLength: number;
  placeholder: string;
  readOnly?: boolean;
  required?: boolean;
  value: string;
  onValue: (value: string) => void;
}

/** A labelled text box whose hint and problem are part of its description. */
export function TextField(props: TextFieldProps) {
  const { label, hint, problem, isMultiline = false, onValue, type = 'text', ...rest } = props;
  const id = useId();
  const field = {
    ...rest,
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-problem ${id}-hint`,
    onChange: (event: { target: { value: string } }) => onValue(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {isMultiline ? <textarea rows={3} {...field} /> : <input type={type} {...field} />}
      <p className="below">
        <span id={`${id}-problem`} className="field-problem">
          {problem}
        </span>
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      </p>
    </div>
  );
}
