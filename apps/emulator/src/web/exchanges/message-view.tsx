import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatBody } from './format-body.ts';

export interface MessageViewProps {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The headers and the body of a request or an answer. */
export function MessageView({ headers, body }: MessageViewProps) {
  const { t } = useTranslation();
  const names = Object.keys(headers);
  return (
    <>
      {names.length > 0 && (
        <details>
          <summary>{t('exchange.headers', { count: names.length })}</summary>
          <pre className="wire">
            <code>{names.map((name) => `${name}: ${headers[name]}`).join('\n')}</code>
          </pre>
        </details>
      )}
      {body === '' ? (
        <Text size="sm" c="dimmed">
          {t('exchange.noBody')}
        </Text>
      ) : (
        <pre className="wire">
          <code>{colourJwt(formatBody(headers['content-type'] ?? '', body))}</code>
        </pre>
      )}
    </>
  );
}

/** The parts of a JWT in three colours. */
function colourJwt(text: string): React.ReactNode {
  const [before, header, claims, signature, after] = text.split(
    /(eyJ[\w-]+)\.([\w-]+)\.([\w-]+)/,
    5,
  );
  if (header === undefined) return text;
  return (
    <>
      {before}
      <JwtPart part="header">{header}</JwtPart>
      {'.'}
      <JwtPart part="claims">{claims}</JwtPart>
      {'.'}
      <JwtPart part="signature">{signature}</JwtPart>
      {after}
    </>
  );
}

function JwtPart({ part, children }: { part: string; children: React.ReactNode }) {
  return (
    <span className="jwt-part" data-part={part}>
      {children}
    </span>
  );
}
