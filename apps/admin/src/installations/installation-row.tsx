import { type FleetInstallation, groupOf, stateOf, withoutAccessSince } from '@dowel/admin-api';
import { Link, useNavigate } from '@tanstack/react-router';
import Inbox from 'lucide-react/icons/inbox';
import Signpost from 'lucide-react/icons/signpost';
import { memo, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFleetRow } from '../api/fleet-rows.ts';
import { useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { shortId } from '../shared/short-id.ts';
import { useTicking } from '../shared/ticker.tsx';
import { nameCause } from '../states/cause.ts';
import { describeNext } from '../states/next-step.ts';
import { StateBadge } from '../states/state-badge.tsx';
import classes from './installation-table.module.css';
import type { Selection } from './use-selection.ts';

export interface InstallationRowProps {
  id: string;
  index: number;
  /** Pixels from the top of the list. */
  start: number;
  height: number;
  isActive: boolean;
  /** The id of the row that takes the focus once it is shown. */
  focusNext: RefObject<string | undefined>;
  selection: Selection;
  onFocus: (id: string) => void;
}

/** One row of the list. A press anywhere opens it. */
export const InstallationRow = memo(function InstallationRow(props: InstallationRowProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id, index, isActive, focusNext, selection } = props;
  const row = useFleetRow(id);
  const link = useRef<HTMLAnchorElement>(null);

  useEffect(() => {
    if (!isActive || focusNext.current !== id) return;
    focusNext.current = undefined;
    link.current?.focus({ preventScroll: true });
  }, [isActive, focusNext, id]);

  // It was purged. The rows below stay where they are.
  if (!row) {
    return (
      <tr className={classes.row} style={styleOfRow(props)}>
        <td className={classes.tenant}>
          <span className="dimmed">{t('list.purged')}</span>
        </td>
      </tr>
    );
  }

  return (
    <tr
      aria-rowindex={index + 2}
      data-selected={selection.chosen.has(id) || undefined}
      data-active={isActive || undefined}
      className={classes.row}
      style={styleOfRow(props)}
      onFocus={() => props.onFocus(id)}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a, input, label')) return;
        void navigate({ to: '/installations/$id', params: { id } });
      }}
    >
      <td className={classes.select}>
        <input
          type="checkbox"
          aria-label={t('list.select', { name: row.name || row.host })}
          checked={selection.chosen.has(id)}
          onChange={() => selection.toggle(index)}
        />
      </td>
      <RowCells row={row} link={link} />
    </tr>
  );
});

function styleOfRow({ height, start }: InstallationRowProps) {
  return { height, transform: `translateY(${start}px)` };
}

interface RowCellsProps {
  row: FleetInstallation;
  link: RefObject<HTMLAnchorElement | null>;
}

function RowCells({ row, link }: RowCellsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const state = useTicking((now) => stateOf(row, now));
  const next = useTicking((now) => describeNext(t, state, row, now));
  const cause = nameCause(t, row.cause, state);
  const brokenSince = useTicking((now) => withoutAccessSince(row, now));
  const since = brokenSince ?? row.failingSince ?? row.accessEndsAt;
  const isTroubled = ['broken', 'risk'].includes(groupOf(state)) || since !== null;
  return (
    <>
      <td className={classes.state}>
        <StateBadge state={state} />
      </td>
      <td className={classes.tenant}>
        <HookFlag count={row.parkedHooks} />
        <AddressFlag otherAddress={row.otherAddress} />
        <Link ref={link} to="/installations/$id" params={{ id: row.id }} className={classes.link}>
          {row.name || row.host}
        </Link>{' '}
        <span className={`mono ${classes.id}`}>
          {row.name === '' ? shortId(row.tenantId) : row.host}
        </span>
      </td>
      <td className={classes.cause} title={row.cause ?? undefined}>
        {isTroubled && cause ? cause : <span className="dimmed">–</span>}
      </td>
      <td className={classes.age} data-number="true">
        {brokenSince === null ? <span className="dimmed">–</span> : <Age since={brokenSince} />}
      </td>
      <td
        className={classes.since}
        data-number="true"
        title={since === null ? undefined : formats.exact(since)}
      >
        {since === null ? '–' : formats.moment(since)}
      </td>
      <td className={classes.next} title={next}>
        {next}
      </td>
      <td className={classes.tries} data-number="true">
        {row.tries === 0 && since === null ? '–' : formats.count(row.tries)}
      </td>
    </>
  );
}

/** Beside any state: deliveries of its hooks wait for an operator. */
function HookFlag({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  const words = t('hooks.flag', { count });
  return (
    <span role="img" aria-label={words} title={words} data-tone="risk" className={classes.flag}>
      <Inbox size={14} />
    </span>
  );
}

/** Beside any state: the tenant has the plug-in under another issuer, too. */
function AddressFlag({ otherAddress }: Pick<FleetInstallation, 'otherAddress'>) {
  const { t } = useTranslation();
  if (!otherAddress) return null;
  const { isNewer, host } = otherAddress;
  const words = t(`address.${isNewer ? 'newer' : 'older'}`, { host });
  return (
    <span role="img" aria-label={words} title={words} data-tone="risk" className={classes.flag}>
      <Signpost size={14} />
    </span>
  );
}
