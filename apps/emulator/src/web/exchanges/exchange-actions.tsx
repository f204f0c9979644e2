import type { Exchange } from '@dowel/emulator/control-api';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import Copy from 'lucide-react/icons/copy';
import PenLine from 'lucide-react/icons/pen-line';
import Send from 'lucide-react/icons/send';
import { useTranslation } from 'react-i18next';
import { loadExchange, resendEvent } from '../control-client.ts';
import { exchangesQuery, loadAgain } from '../control-queries.ts';
import { exchangeRoute } from '../hash-route.ts';
import { showDone } from '../toasts.ts';
import { toCurl } from './to-curl.ts';

/** Sends an event again, and copies any request for a terminal. */
export function ExchangeActions({ exchange }: { exchange: Exchange }) {
  const { t } = useTranslation();
  const copy = useCopyAsCurl(exchange);
  return (
    <>
      {exchange.kind === 'event' && <ResendButtons exchange={exchange} />}
      <Button
        variant="default"
        size="sm"
        leftSection={<Copy size={16} aria-hidden />}
        loading={copy.isPending}
        onClick={() => copy.mutate()}
      >
        {t('exchange.copy')}
      </Button>
    </>
  );
}

function ResendButtons({ exchange: { id } }: { exchange: Exchange }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const resend = useMutation({
    mutationFn: (signedAgain: boolean) => resendEvent(id, { signedAgain }),
    meta: { failed: t('exchange.resendFailed') },
    onSuccess: (sent) => {
      window.location.hash = exchangeRoute(sent.id);
    },
    onSettled: () => loadAgain(client, exchangesQuery),
  });
  const isSending = (signedAgain: boolean) => resend.isPending && resend.variables === signedAgain;
  return (
    <>
      <Button
        size="sm"
        leftSection={<Send size={16} aria-hidden />}
        loading={isSending(false)}
        onClick={() => resend.mutate(false)}
      >
        {t('exchange.resend')}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<PenLine size={16} aria-hidden />}
        loading={isSending(true)}
        onClick={() => resend.mutate(true)}
      >
        {t('exchange.resendSigned')}
      </Button>
    </>
  );
}

/** The command works only with the secrets, so they are loaded for it. */
function useCopyAsCurl({ id }: Exchange) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async () => {
      const exchange = await loadExchange(String(id), { reveals: true });
      await navigator.clipboard.writeText(toCurl(exchange));
    },
    meta: { failed: t('exchange.copyFailed') },
    onSuccess: () => showDone(t, t('exchange.copied')),
  });
}
