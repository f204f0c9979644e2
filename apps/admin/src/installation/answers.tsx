import {
  type FleetDetail,
  type FleetInstallation,
  groupOf,
  type InstallationState,
  stateEndsAt,
  withoutAccessSince,
} from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFleet } from '../api/use-fleet.ts';
import { useFormats } from '../i18n/formats.ts';
import { offeredActions } from '../shared/action-choices.ts';
import { Age } from '../shared/age.tsx';
import { describeMet } from '../shared/call-texts.ts';
import { Emphasized } from '../shared/emphasized.tsx';
import { useTicking } from '../shared/ticker.tsx';
import { causeOf } from '../states/cause.ts';
import { describeNext } from '../states/next-step.ts';
import { groupRoles } from '../states/state-looks.ts';
import classes from './answers.module.css';
import { TokenLife } from './token-life.tsx';

export interface AnswersProps {
  detail: FleetDetail;
  state: InstallationState;
}

/** Four answers, always in this order: what happened, since when, what happens next, what the operator can do. */
export function Answers({ detail, state }: AnswersProps) {
  const { t } = useTranslation();
  return (
    <section
      className={classes.answers}
      data-tone={hasOnlyParkedHooks(detail, state) ? 'risk' : groupRoles[groupOf(state)]}
      aria-label={t('answer.all')}
    >
      <Answer title={t('answer.happened')}>
        <Happened detail={detail} state={state} />
      </Answer>
      <Answer title={t('answer.since')}>
        <Since detail={detail} state={state} />
      </Answer>
      <Answer title={t('answer.next')}>
        <Next detail={detail} state={state} />
      </Answer>
      <Answer title={t('answer.help')}>
        <Help detail={detail} state={state} />
      </Answer>
    </section>
  );
}

function Answer({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.answer}>
      <h2 className={classes.title}>{title}</h2>
      {children}
    </div>
  );
}

function Happened({ detail, state }: AnswersProps) {
  const { t } = useTranslation();
  const { cause: reason, otherAddress, parkedHooks } = detail.installation;
  const cause = causeOf(reason, state);
  // Nobody paused it.
  const isResting = detail.pause?.by === '';
  return (
    <>
      <p className={classes.head}>
        {hasOnlyParkedHooks(detail, state)
          ? t('hooks.flag', { count: parkedHooks })
          : t(state === 'awaiting' ? `cause.${cause ?? 'other'}` : `state.${state}.happened`)}
      </p>
      <p>
        {state === 'awaiting'
          ? null
          : `${isResting ? t('address.rests') : t(detailOf(detail, state))} `}
        {cause && cause !== 'no_event' ? t(`causeDetail.${cause}`) : null}
      </p>
      {state === 'calls_failing' ? <FailingCalls detail={detail} /> : null}
      {otherAddress ? (
        <p>
          {t(`address.${otherAddress.isNewer ? 'newer' : 'older'}`, { host: otherAddress.host })}
        </p>
      ) : null}
      {parkedHooks > 0 ? <p>{t('hooks.happened', { count: parkedHooks })}</p> : null}
      <ClockSkew skew={detail.clockSkew} />
      {detail.pause && !isResting ? (
        <p>{t('answer.pausedBy', { name: detail.pause.by, reason: detail.pause.reason })}</p>
      ) : null}
      {reason === null ? null : <code className={classes.reason}>{reason}</code>}
    </>
  );
}

/** Calls work, but an operator can do something. */
function hasOnlyParkedHooks({ installation }: FleetDetail, state: InstallationState): boolean {
  return installation.parkedHooks > 0 && groupOf(state) === 'working';
}

/** A refresh that fails says nothing about calls: only a success since then does. */
function detailOf({ installation }: FleetDetail, state: Exclude<InstallationState, 'awaiting'>) {
  const { calls, failingSince } = installation;
  if (state !== 'failing') return `state.${state}.detail` as const;
  const works = (calls?.lastSuccessAt ?? 0) >= (failingSince ?? Infinity);
  return `state.failing.${works ? 'works' : 'detail'}` as const;
}

/** An event came too late, or from the future: a clock differs, and no later event was accepted. */
function ClockSkew({ skew }: { skew: FleetDetail['clockSkew'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (skew === null) return null;
  const { id, at, event, reason, offBySeconds } = skew;
  const kind = reason === 'not_yet_valid' ? reason : 'expired';
  const words = { event, at: formats.moment(at), seconds: formats.count(offBySeconds) };
  return (
    <p>
      {t(`events.skew.${kind}`, words)}{' '}
      <Link to="/events" search={{ delivery: id }}>
        {t('events.showOne')}
      </Link>
    </p>
  );
}

/** What the platform answered, in how many processes, and the way to the single calls. */
function FailingCalls({ detail }: { detail: FleetDetail }) {
  const { t } = useTranslation();
  const { installation, failedCall } = detail;
  const { status = null, failing = 0, processes: all = 0 } = installation.calls ?? {};
  const fault = status === null && failedCall?.fault ? describeMet(t, failedCall) : '';
  const texts = [
    ...(status === null ? [] : [t('answer.status', { status })]),
    ...(fault === '' ? [] : [t('answer.fault', { fault })]),
    ...(all > 1 ? [t('answer.processes', { failing, all })] : []),
  ];
  return (
    <>
      {texts.length > 0 ? <p>{texts.join(' ')}</p> : null}
      {failedCall?.answer ? <q className={classes.quote}>{failedCall.answer}</q> : null}
      <p>
        <Link to="/calls" search={{ installation: installation.id, last: 'week' }}>
          {t('calls.show')}
        </Link>
      </p>
    </>
  );
}

function Since({ detail, state }: AnswersProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installation } = detail;
  const { failingSince, accessEndsAt, calls } = installation;
  const brokenSince = useTicking((now) => withoutAccessSince(installation, now));
  const stateSince = useTicking((now) => readStateSince(detail, now));
  const parkedSince = hasOnlyParkedHooks(detail, state) ? detail.hooksParkedSince : null;
  const since = brokenSince ?? failingSince ?? accessEndsAt ?? parkedSince ?? stateSince;
  return (
    <>
      <p className={classes.head}>
        <Age since={since} />
      </p>
      <p>{formats.exact(since)}</p>
      {calls && calls.failures > 0 ? (
        <p className="dimmed">
          {t('answer.failures', { count: calls.failures, number: formats.count(calls.failures) })}
        </p>
      ) : null}
      {installation.tries > 0 ? (
        <p className="dimmed">{t('answer.tries', { count: installation.tries })}</p>
      ) : null}
    </>
  );
}

/** A state that has changed with the time alone began at that moment; the server need not be asked. */
function readStateSince({ installation, since, now: loadedAt }: FleetDetail, now: number): number {
  const endsAt = stateEndsAt(installation, loadedAt);
  return endsAt !== null && endsAt <= now ? endsAt : since;
}

function Next({ detail, state }: AnswersProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installation, token, purgedAt } = detail;
  const next = useTicking((now) => describeNext(t, state, installation, now));
  const date = purgedAt === null ? '–' : formats.date(purgedAt);
  return (
    <>
      <p className={`numeric ${classes.head}`}>{next}</p>
      {state === 'active' && token ? <TokenLife token={token} /> : null}
      <p className="dimmed">
        {t(lacksTrigger(installation, state) ? 'next.unasked' : `state.${state}.next`, { date })}
      </p>
    </>
  );
}

function Help({ detail, state }: AnswersProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { installation } = detail;
  const { cause: reason } = installation;
  const others = (useFleet()?.causes.find(({ cause }) => cause === reason)?.count ?? 0) - 1;
  return (
    <>
      <p>
        <Emphasized
          text={t(hasOnlyParkedHooks(detail, state) ? 'hooks.help' : findHelp(detail, state))}
        />{' '}
        {reason !== null && others > 0 ? (
          <Link to="/installations" search={{ cause: reason }}>
            {t('answer.others', { count: others, number: formats.count(others) })}
          </Link>
        ) : null}
      </p>
      {installation.parkedHooks > 0 ? (
        <p>
          <Link to="/hooks">{t('hooks.settle')}</Link>
        </p>
      ) : null}
    </>
  );
}

/** Only an event could help, and the platform gave no way to ask for one. */
function lacksTrigger(installation: FleetInstallation, state: InstallationState): boolean {
  return !installation.canAsk && offeredActions(state, installation).includes('ask');
}

function findHelp({ installation, clockSkew }: FleetDetail, state: InstallationState) {
  if (installation.otherAddress?.isNewer) return 'address.help' as const;
  const cause = causeOf(installation.cause, state) ?? 'other';
  if (lacksTrigger(installation, state)) {
    return `causeHelp.${cause === 'scope' ? 'scope_install' : 'cannotAsk'}` as const;
  }
  // The event that is asked for would be refused, too.
  if (state === 'awaiting' && clockSkew) return 'causeHelp.clock' as const;
  if (state === 'awaiting' || state === 'calls_failing') return `causeHelp.${cause}` as const;
  return `state.${state}.help` as const;
}
