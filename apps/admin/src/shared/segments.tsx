import { useId } from 'react';
import classes from './segments.module.css';

export interface SegmentsProps<Value extends string> {
  /** What is chosen, for a screen reader. */
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** A choice among few values, all in sight: radio buttons that look like one bar. */
export function Segments<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentsProps<Value>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.bar}>
      {choices.map((choice) => (
        <label key={choice.value} className={classes.segment}>
          <input
            type="radio"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
