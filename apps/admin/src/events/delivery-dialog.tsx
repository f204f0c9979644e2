import { type DeliveryDetail, isRoleEnough } from '@dowel/admin-api';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useRole } from '../api/use-role.ts';
import { useFormats } from '../i18n/formats.ts';
import { CopyableText } from '../shared/copyable-text.tsx';
import { Dialog, DialogFoot } from '../shared/dialog.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { useMeaning } from '../shared/reason-sentence.tsx';
import { DeliveryAnswer } from './delivery-answer.tsx';
import { DeliveryClaims } from './delivery-claims.tsx';
import { DeliveryTenant } from './delivery-row.tsx';
import classes from './events-page.module.css';
import { deliveryQuery } from './events-query.ts';

/** What an event contained, what it was answered, and why. */
export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(deliveryQuery(useApi(), id));
  return (
    <Dialog title={t('events.detail')} size={720} onClose={onClose}>
      {error ? (
        <QueryFailure
          title={t('events.detailFailed')}
          error={error}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data ? <Detail detail={data} /> : null}
      {data || error ? null : <Skeleton height={320} />}
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          {t('events.close')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function Detail({ detail }: { detail: DeliveryDetail }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { at, event, plugin, durationMs, offBySeconds, sender, requestId } = detail;
  const facts: [string, string | false][] = [
    [t('events.plugin'), plugin],
    [t('events.duration'), durationMs !== null && formats.duration(durationMs)],
    [
      t('events.clocks'),
      offBySeconds !== null && t('events.offBy', { seconds: formats.count(offBySeconds) }),
    ],
    [t('events.sender'), sender],
  ];
  return (
    <div className={classes.detail}>
      <Verdict detail={detail} />
      <dl className={classes.facts}>
        <dt>{t('events.at')}</dt>
        <dd>{formats.exact(at)}</dd>
        <dt>{t('events.event')}</dt>
        <dd>{t(`events.kind.${event}`)}</dd>
        <dt>{t('events.tenant')}</dt>
        <dd className="breakable">
          <DeliveryTenant delivery={detail} />
        </dd>
        {facts.map(([name, value]) =>
          value ? <FactRow key={name} name={name} value={value} /> : null,
        )}
        <dt>{t('events.requestId')}</dt>
        <dd>
          <CopyableText name={t('events.requestId')} text={requestId} />
        </dd>
      </dl>
      <Seen detail={detail} />
      <DeliveryClaims detail={detail} />
    </div>
  );
}

function FactRow({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="breakable">{value}</dd>
    </>
  );
}

/** One sentence, and what can be done. */
function Verdict({ detail }: { detail: DeliveryDetail }) {
  const { t } = useTranslation();
  const role = useRole();
  const { status, reason, event, installationId } = detail;
  const meaning = useMeaning(reason ?? '');
  const mayAsk = role !== undefined && isRoleEnough(role, 'operator');
  const canAsk = event === 'access_token' && installationId !== null && mayAsk;
  return (
    <div>
      <DeliveryAnswer delivery={detail} />
      <p className={classes.verdict}>
        {reason === null ? t('events.didAccept') : (meaning ?? <code>{reason}</code>)}
        {status === 429 || status === 503 ? ` ${t('events.mayCome')}` : null}
      </p>
      {canAsk ? (
        <Link to="/installations/$id" params={{ id: installationId }}>
          {t('events.askNew')}
        </Link>
      ) : null}
    </div>
  );
}

/** What came back, as it was sent. */
function Seen({ detail: { status, body } }: { detail: DeliveryDetail }) {
  const { t } = useTranslation();
  if (body === null) return null;
  return (
    <section>
      <h3 className={classes.part}>{t('events.seen')}</h3>
      <pre className={classes.code}>{`HTTP ${status}\n${body}`}</pre>
    </section>
  );
}
