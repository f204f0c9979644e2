import { TextInput, type TextInputProps } from '@mantine/core';
import { useRef, useState } from 'react';

type OwnProps =
  | 'label'
  | 'placeholder'
  | 'title'
  | 'value'
  | 'onChange'
  | 'onPointerDown'
  | 'onBlur'
  | 'onKeyDown';

export interface TypedFilterProps extends Omit<TextInputProps, OwnProps> {
  /** For screen readers, and shown in the empty field. */
  label: string;
  /** What is chosen now; '': nothing. */
  chosen: string;
  choose: (text: string) => void;
}

/**
 * What is typed counts after Enter, or when the field is left: a date field reports each digit of a year. A day or a time
 * that is picked from the calendar counts at once.
 */
export function TypedFilter({ label, chosen, choose, ...input }: TypedFilterProps) {
  const [typed, setTyped] = useState({ text: chosen, of: chosen });
  const usesKeys = useRef(false);
  // What is chosen elsewhere, such as in the table, replaces the typed text.
  if (typed.of !== chosen) setTyped({ text: chosen, of: chosen });
  const chooseText = (text: string) => {
    if (text.trim() !== chosen) choose(text);
  };
  return (
    <TextInput
      {...input}
      aria-label={label}
      title={label}
      placeholder={label}
      value={typed.text}
      onChange={({ currentTarget: { value } }) => {
        setTyped({ text: value, of: chosen });
        if (input.type !== undefined && !usesKeys.current) chooseText(value);
      }}
      onPointerDown={() => {
        usesKeys.current = false;
      }}
      onBlur={() => chooseText(typed.text)}
      onKeyDown={({ key }) => {
        usesKeys.current = true;
        if (key === 'Enter') chooseText(typed.text);
      }}
    />
  );
}
