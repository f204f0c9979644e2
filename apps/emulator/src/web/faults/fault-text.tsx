import type { FaultName } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';

/** A sentence about a fault. What stands in backticks is code. */
export function FaultText({ name, part }: { name: FaultName; part: 'does' | 'good' }) {
  const { t } = useTranslation('faults');
  const pieces = t(`${name}.${part}`, { keySeparator: false }).split('`');
  return (
    <span>
      {pieces.map((piece, index) => (index % 2 === 0 ? piece : <code key={piece}>{piece}</code>))}
    </span>
  );
}
