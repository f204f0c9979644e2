import { findsBeginnings, foldSearch } from '@dowel/admin-api';
import { Kbd, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeys } from '../shared/use-keys.ts';
import classes from './installations-page.module.css';
import { type ListSearch, parseListSearch } from './list-search.ts';

const typingMs = 150;
const hintWidth = 118;

/** Holds the typed text itself, so that typing renders nothing else. */
export function SearchBox({ search }: { search: ListSearch }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? '');
  const asked = useRef(search.q ?? '');

  // The text follows the address only if something else changed the address.
  useEffect(() => {
    const q = search.q ?? '';
    if (asked.current === q) return;
    asked.current = q;
    setText(q);
  }, [search.q]);

  useEffect(() => {
    if (text === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = text;
      startTransition(() => {
        const next = parseListSearch({ ...search, q: text });
        void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
      });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, search, navigate]);

  const folded = foldSearch(text);
  const isShort = folded !== '' && findsBeginnings(folded);

  useKeys({ '/': () => field.current?.focus() });

  return (
    <div className={classes.search}>
      <TextInput
        ref={field}
        type="search"
        aria-label={t('list.search')}
        placeholder={t('list.searchHint')}
        leftSection={<Search size={16} aria-hidden="true" />}
        rightSection={text === '' ? <Kbd size="xs">/</Kbd> : isShort ? <Hint /> : null}
        rightSectionWidth={isShort ? hintWidth : undefined}
        aria-description={isShort ? t('list.beginnings') : undefined}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Chromium and Safari would also empty the field.
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
    </div>
  );
}

/** One or two letters are in nearly every id. */
function Hint() {
  const { t } = useTranslation();
  return (
    <Text aria-hidden="true" size="xs" c="dimmed">
      {t('list.beginnings')}
    </Text>
  );
}
