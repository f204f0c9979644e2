import type { Exchange } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';
import { ExchangePanel } from './exchange-panel.tsx';
import { JwtView } from './jwt-view.tsx';
import { MessageView } from './message-view.tsx';

/** What was sent: address, headers, body, and the JWT of an event. */
export function RequestPanel({ exchange }: { exchange: Exchange }) {
  const { t } = useTranslation();
  const { method, url, headers, body, jwt } = exchange;
  return (
    <ExchangePanel title={t('exchange.sent')}>
      <code>
        {method} {url}
      </code>
      <MessageView headers={headers} body={body} />
      {jwt && <JwtView jwt={jwt} />}
    </ExchangePanel>
  );
}
