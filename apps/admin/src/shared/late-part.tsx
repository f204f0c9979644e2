import { Button } from '@mantine/core';
import { Component, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogFoot } from './dialog.tsx';

export interface LatePartProps {
  onClose: () => void;
  /** A dialog whose code is loaded when it is shown. */
  children: ReactNode;
}

/** Keeps the page if the code of a dialog cannot be loaded: after an update of Dowel its old address is gone. */
export class LatePart extends Component<LatePartProps, { isMissing: boolean }> {
  override state = { isMissing: false };

  static getDerivedStateFromError() {
    return { isMissing: true };
  }

  override render(): ReactNode {
    const { onClose, children } = this.props;
    if (this.state.isMissing) return <MissingPart onClose={onClose} />;
    return <Suspense>{children}</Suspense>;
  }
}

function MissingPart({ onClose }: Pick<LatePartProps, 'onClose'>) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('shell.notAvailable')} onClose={onClose}>
      <p role="alert">{t('shell.partMissing')}</p>
      <DialogFoot>
        <Button variant="default" size="sm" onClick={onClose}>
          {t('dialog.close')}
        </Button>
        <Button size="sm" onClick={() => window.location.reload()} data-autofocus>
          {t('shell.loadAgain')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
