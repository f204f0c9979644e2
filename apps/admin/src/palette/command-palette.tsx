import {
  type FleetDetail,
  type FleetInstallation,
  type FleetList,
  stateOf,
  withoutAccessSince,
} from '@dowel/admin-api';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import ArrowRight from 'lucide-react/icons/arrow-right';
import LayoutList from 'lucide-react/icons/layout-list';
import Play from 'lucide-react/icons/play';
import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, lazy, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import type { Timed } from '../api/request.ts';
import type { OfferedAction } from '../shared/action-texts.ts';
import { Age } from '../shared/age.tsx';
import { describeFailure } from '../shared/describe-failure.ts';
import { LatePart } from '../shared/late-part.tsx';
import { places } from '../shared/places.ts';
import { ServerClock, useTicking } from '../shared/ticker.tsx';
import { StateBadge } from '../states/state-badge.tsx';
import { groups } from '../states/state-looks.ts';
import classes from './command-palette.module.css';
import { type ShownAction, useShownActions, useShownInstallation } from './shown-actions.ts';

const ActionDialog = lazy(async () => ({
  default: (await import('../shared/action-dialog.tsx')).ActionDialog,
}));

const typingMs = 150;
const foundCount = 6;

/** Finds installations by any part of host or id, acts on the one that is shown, and goes to a page. */
export function CommandPalette() {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), typingMs);
  const { found, error, isOld } = useFound(text.trim(), query);
  const { field, chooseFirst } = useEnter(isOld);
  const matches = ({ name }: { name: string }) => name.toLowerCase().includes(text.toLowerCase());
  const targets = useTargets().filter(matches);
  const detail = useShownInstallation();
  const actions = useShownActions(detail).filter(matches);
  const { chosen, choose, close } = useChosenAction(detail?.installation.id);
  const isEmpty = (found?.installations.length ?? 0) + actions.length + targets.length === 0;

  return (
    <>
      <Spotlight.Root
        query={text}
        onQueryChange={setText}
        shortcut="mod + K"
        scrollable
        maxHeight={520}
        centered={false}
        lockScroll={false}
        overlayProps={{ blur: 0, backgroundOpacity: 0.45 }}
        attributes={{ content: { 'aria-label': t('palette.open') } }}
        transitionProps={{ duration: 0 }}
      >
        <Spotlight.Search
          // Mantine sets the focus one task later, and a letter typed before it would act on the page.
          autoFocus
          aria-label={t('palette.open')}
          placeholder={t('palette.open')}
          ref={field}
          onKeyDown={chooseFirst}
          leftSection={<Search size={18} aria-hidden="true" />}
        />
        <Spotlight.ActionsList aria-label={t('palette.open')}>
          {found && found.installations.length > 0 ? <FoundGroup found={found} /> : null}
          {detail && actions.length > 0 ? (
            <ActionGroup detail={detail} actions={actions} onChoose={choose} />
          ) : null}
          {targets.length > 0 ? <PlaceGroup targets={targets} /> : null}
          {error ? (
            <Spotlight.Empty role="alert">
              {t('list.failed')}. {describeFailure(t, error)}
            </Spotlight.Empty>
          ) : null}
          {isEmpty && !error ? <Spotlight.Empty>{t('palette.nothing')}</Spotlight.Empty> : null}
        </Spotlight.ActionsList>
      </Spotlight.Root>
      {detail && chosen ? (
        <ServerClock time={detail}>
          <LatePart onClose={close}>
            <ActionDialog action={chosen} detail={detail} onClose={close} />
          </LatePart>
        </ServerClock>
      ) : null}
    </>
  );
}

/** The action whose dialog is open. The dialog ends with the page of its installation. */
function useChosenAction(shownId: string | undefined) {
  const [chosen, setChosen] = useState<{ action: OfferedAction; on: string | undefined }>();
  if (chosen && chosen.on !== shownId) setChosen(undefined);
  return {
    chosen: chosen?.action,
    choose: (action: OfferedAction) => setChosen({ action, on: shownId }),
    close: () => setChosen(undefined),
  };
}

/**
 * Enter opens the first entry. While the entries are those of an earlier text, it waits for the answer.
 * Spotlight selects an entry while a person types, before the search is answered.
 */
function useEnter(isOld: boolean) {
  const field = useRef<HTMLInputElement>(null);
  const isWaiting = useRef(false);

  useEffect(() => {
    if (isOld || !isWaiting.current) return;
    isWaiting.current = false;
    findEntry(field.current, '[data-action]')?.click();
  }, [isOld]);

  function chooseFirst({ key, nativeEvent }: KeyboardEvent<HTMLInputElement>): void {
    isWaiting.current = false;
    if (key !== 'Enter' || nativeEvent.isComposing) return;
    const selected = findEntry(field.current, '[data-selected]');
    if (isOld) {
      isWaiting.current = true;
      selected?.removeAttribute('data-selected');
    } else if (!selected) findEntry(field.current, '[data-action]')?.click();
  }
  return { field, chooseFirst };
}

function findEntry(field: HTMLElement | null, selector: string) {
  return field?.closest('[role="dialog"]')?.querySelector<HTMLElement>(selector);
}

function FoundGroup({ found }: { found: Timed<FleetList> }) {
  const { t } = useTranslation();
  return (
    <Spotlight.ActionsGroup className={classes.group ?? ''} label={t('palette.installations')}>
      <ServerClock time={found}>
        {found.installations.map((row) => (
          <Found key={row.id} row={row} />
        ))}
      </ServerClock>
    </Spotlight.ActionsGroup>
  );
}

interface ActionGroupProps {
  detail: FleetDetail;
  actions: readonly ShownAction[];
  onChoose: (action: OfferedAction) => void;
}

/** The actions on the shown installation. */
function ActionGroup({ detail: { installation }, actions, onChoose }: ActionGroupProps) {
  const { t } = useTranslation();
  return (
    <Spotlight.ActionsGroup
      className={classes.group ?? ''}
      label={t('palette.actions', { name: installation.name || installation.host })}
    >
      {actions.map((each) => (
        <ActionChoice key={each.action} choice={each} onChoose={onChoose} />
      ))}
    </Spotlight.ActionsGroup>
  );
}

/** A page, or a list of one group of installations. */
interface Target {
  name: string;
  go: () => void;
}

function PlaceGroup({ targets }: { targets: readonly Target[] }) {
  const { t } = useTranslation();
  return (
    <Spotlight.ActionsGroup className={classes.group ?? ''} label={t('palette.places')}>
      {targets.map(({ name, go }) => (
        <Spotlight.Action key={name} onClick={go} className={classes.action ?? ''}>
          <ArrowRight size={17} aria-hidden="true" className={classes.icon} />
          {name}
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
}

interface ActionChoiceProps {
  choice: ShownAction;
  onChoose: (action: OfferedAction) => void;
}

/** An impossible action stays in the list with the reason, and keeps the palette open. */
function ActionChoice({ choice, onChoose }: ActionChoiceProps) {
  const { action, name, hindrance } = choice;
  const isHindered = hindrance !== undefined;
  return (
    <Spotlight.Action
      className={classes.action ?? ''}
      aria-disabled={isHindered || undefined}
      closeSpotlightOnTrigger={!isHindered}
      onClick={() => {
        if (!isHindered) onChoose(action);
      }}
    >
      <Play size={17} aria-hidden="true" className={classes.icon} />
      <span className={isHindered ? 'dimmed' : undefined}>{name}</span>
      {isHindered ? <span className={`dimmed ${classes.end}`}>{hindrance}</span> : null}
    </Spotlight.Action>
  );
}

function Found({ row }: { row: FleetInstallation }) {
  const navigate = useNavigate();
  const state = useTicking((now) => stateOf(row, now));
  const since = useTicking((now) => withoutAccessSince(row, now));
  return (
    <Spotlight.Action
      className={classes.action ?? ''}
      onClick={() => void navigate({ to: '/installations/$id', params: { id: row.id } })}
    >
      <LayoutList size={17} aria-hidden="true" className={classes.icon} />
      <span className={classes.host}>{row.name || row.host}</span>
      <span className={classes.end}>
        {since === null ? null : (
          <span className="dimmed">
            <Age since={since} />
          </span>
        )}
        <StateBadge state={state} />
      </span>
    </Spotlight.Action>
  );
}

/**
 * @param text as it is typed
 * @param search the text that is searched
 * @returns the newest answer; undefined: nothing is searched, or no answer has arrived.
 */
function useFound(text: string, search: string) {
  const api = useApi();
  const { data, error, isPending, isPlaceholderData } = useQuery({
    queryKey: ['found', search],
    queryFn: ({ signal }) => api.installations({ search, limit: foundCount }, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
  return {
    found: search === '' ? undefined : data,
    error: search === '' ? null : error,
    isOld: text !== '' && (text !== search || isPending || isPlaceholderData),
  };
}

function useTargets(): Target[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return [
    ...places.map(({ to, name }) => ({ name: t(`nav.${name}`), go: () => void navigate({ to }) })),
    ...groups.map((group) => ({
      name: `${t('nav.installations')}: ${t(`group.${group}`)}`,
      go: () => void navigate({ to: '/installations', search: { group } }),
    })),
  ];
}
