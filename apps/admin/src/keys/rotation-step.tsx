import type { Keys, RotationStep as Step } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import CircleCheck from 'lucide-react/icons/circle-check';
import Hourglass from 'lucide-react/icons/hourglass';
import Power from 'lucide-react/icons/power';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { CopyableText } from '../shared/copyable-text.tsx';
import classes from './keys-page.module.css';
import { ShareBar } from './share-bar.tsx';

/** `command`: the next command on the machine. */
const looks: Readonly<
  Record<Step, { role: Role | undefined; icon: typeof Check; command: string | undefined }>
> = {
  none: { role: undefined, icon: Check, command: 'dowel keys rotate' },
  restart: { role: 'note', icon: Power, command: undefined },
  counting: { role: 'note', icon: Hourglass, command: undefined },
  reencrypt: { role: 'note', icon: RefreshCw, command: 'dowel reencrypt' },
  prune: { role: 'ok', icon: CircleCheck, command: 'dowel keys prune' },
  restore: { role: 'bad', icon: TriangleAlert, command: 'dowel keys list' },
};

/** The progress of the rotation, and the next step. */
export function RotationStep({ encryption }: { encryption: Keys['encryption'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { step, keys } = encryption;
  const { role, icon: Icon, command } = looks[step];
  const total = keys.reduce((sum, { values }) => sum + (values ?? 0), 0);
  const sealed = keys.find(({ state }) => state === 'active')?.values ?? 0;
  const named = keys.filter(({ state, mayBeRemoved }) =>
    step === 'restore' ? state === 'missing' : mayBeRemoved,
  );
  const words = {
    ids: named.map(({ id }) => id).join(', '),
    values: formats.count(total - sealed),
    total: formats.count(total),
  };
  const share = total === 0 ? 0 : sealed / total;
  return (
    <div className={classes.step} data-tone={role}>
      <p className={classes.verdict}>
        <Icon size={16} aria-hidden="true" />
        <span>{t(`trust.step.${step}`, words)}</span>
      </p>
      {step === 'reencrypt' ? (
        <ShareBar share={share} label={t('trust.share', { share: formats.percent(share) })} />
      ) : null}
      <p className={classes.next}>{t(`trust.advice.${step}`)}</p>
      {command === undefined ? null : (
        <div className={classes.command}>
          <CopyableText name={command} text={command} />
        </div>
      )}
    </div>
  );
}
