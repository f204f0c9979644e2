import type { Examination } from '@dowel/dev/examination';
import type { Installation } from '@dowel/emulator/control-api';
import { Button, Code, Progress, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Stethoscope from 'lucide-react/icons/stethoscope';
import { useTranslation } from 'react-i18next';
import { startExamination } from '../control-client.ts';
import { examinationQuery } from '../control-queries.ts';
import { StatusBadge } from '../status-badge.tsx';
import { FindingItem } from './finding-item.tsx';

/** Lets the doctor examine the back end of a plug-in, and shows what it has found. */
export function ExaminationSection({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const { pluginId, name } = installation;
  const examination = useQuery(examinationQuery(pluginId)).data;
  const start = useStart(installation);
  return (
    <div className="examination">
      <Title order={4} size="h6">
        {t('examination.title', { name })}
      </Title>
      <Text size="sm" c="dimmed">
        {t('examination.lead')}
      </Text>
      {examination?.isRunning ? (
        <Running examination={examination} />
      ) : (
        <Button
          variant="default"
          size="sm"
          leftSection={<Stethoscope size={16} aria-hidden />}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {t('examination.start')}
        </Button>
      )}
      {examination && <Result examination={examination} />}
    </div>
  );
}

function useStart({ pluginId, name }: Installation) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => startExamination(pluginId),
    meta: { failed: t('examination.failed', { name }) },
    onSuccess: (started) => client.setQueryData(examinationQuery(pluginId).queryKey, started),
  });
}

function Result({ examination }: { examination: Examination }) {
  const { findings, isRunning, problem } = examination;
  return (
    <>
      <div role="status">{!isRunning && <Verdict examination={examination} />}</div>
      {problem !== null && (
        <Text size="sm" lang="en">
          {problem}
        </Text>
      )}
      {findings.length > 0 && (
        <ul className="findings">
          {findings.map((finding) => (
            <FindingItem key={finding.id} finding={finding} />
          ))}
        </ul>
      )}
      {!isRunning && problem === null && <NotAsked examination={examination} />}
    </>
  );
}

function Running({ examination: { done, total } }: { examination: Examination }) {
  const { t } = useTranslation();
  const text = t('examination.progress', { done, total });
  return (
    <>
      <Progress value={(100 * done) / total} aria-label={text} />
      <Text size="sm">{text}</Text>
    </>
  );
}

function Verdict({ examination }: { examination: Examination }) {
  const { t } = useTranslation();
  const { problem, findings, passed, blocked } = examination;
  const count = (wanted: string) => findings.filter(({ verdict }) => verdict === wanted).length;
  if (problem !== null) return <StatusBadge tone="bad">{t('examination.notJudged')}</StatusBadge>;
  const parts = [
    { tone: 'bad', count: count('fail'), text: 'must' },
    { tone: 'warn', count: count('warn'), text: 'should' },
    { tone: 'warn', count: count('open') + count('error') + blocked, text: 'open' },
    { tone: 'good', count: passed, text: 'passed' },
  ] as const;
  return (
    <div className="examination-verdict">
      {parts
        .filter((part) => part.count > 0)
        .map((part) => (
          <StatusBadge key={part.text} tone={part.tone}>
            {t(`examination.${part.text}`, { count: part.count })}
          </StatusBadge>
        ))}
    </div>
  );
}

/** Only the command in a terminal can do the rest. */
function NotAsked({ examination: { notAsked, command } }: { examination: Examination }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" component="div">
      {t('examination.notAsked')} <code>{notAsked.join(' ')}</code>
      <Code block className="examination-command">
        {command}
      </Code>
    </Text>
  );
}
