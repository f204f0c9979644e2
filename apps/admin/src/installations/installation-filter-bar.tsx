import { SegmentedControl, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { useEffect, useRef, useState } from 'react';
import classes from './installations-page.module.css';
import type { InstallationsSearch } from './installations-search.ts';
import { parseInstallationsSearch } from './installations-search.ts';

const filters = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'attention', label: 'Needs attention' },
  { value: 'uninstalled', label: 'Uninstalled' },
];

export interface InstallationFilterBarProps {
  search: InstallationsSearch;
  placeholder: string;
}

export function InstallationFilterBar({ search, placeholder }: InstallationFilterBarProps) {
  const navigate = useNavigate();
  const [text, setText] = useSearchText(search.q ?? '');

  function show(q: string, filter: string | undefined): void {
    const next = parseInstallationsSearch({ q: q === '' ? undefined : q, filter });
    void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
  }

  return (
    <search className={classes.toolbar}>
      <TextInput
        type="search"
        className={classes.search}
        aria-label="Search installations"
        placeholder={placeholder}
        leftSection={<Search size={16} aria-hidden="true" />}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          show(value, search.filter);
        }}
      />
      <div className={classes.filter}>
        <SegmentedControl
          aria-label="Show"
          value={search.filter ?? 'all'}
          onChange={(filter) => show(text, filter)}
          data={filters}
        />
      </div>
    </search>
  );
}

/** The typed text. It follows the address only if something else changed the address. */
function useSearchText(q: string): [string, (text: string) => void] {
  const [text, setText] = useState(q);
  const typed = useRef(q);
  useEffect(() => {
    if (typed.current === q) return;
    typed.current = q;
    setText(q);
  }, [q]);
  return [
    text,
    (next) => {
      typed.current = next;
      setText(next);
    },
  ];
}
