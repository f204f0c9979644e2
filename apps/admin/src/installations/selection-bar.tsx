import { fleetCsvHeader, fleetCsvLine, stateOf } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { useFleetRows } from '../api/fleet-rows.ts';
import { useFormats } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { saveCsv } from '../shared/save-csv.ts';
import { useReadServerNow } from '../shared/ticker.tsx';
import type { ListSearch } from './list-search.ts';
import { RunButton } from './run-button.tsx';
import type { InstallationList } from './use-installation-list.ts';
import type { Selection } from './use-selection.ts';

export interface SelectionBarProps {
  selection: Selection;
  list: InstallationList;
  search: ListSearch;
  onRunStarted: (runId: string) => void;
}

/** The actions on the chosen rows. */
export function SelectionBar({ selection, list, search, onRunStarted }: SelectionBarProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const formats = useFormats();
  const rows = useFleetRows();
  const readNow = useReadServerNow();
  const save = () => {
    const now = readNow();
    const chosen = [...selection.chosen]
      .flatMap((id) => rows.get(id) ?? [])
      .map((row) => ({ ...row, state: stateOf(row, now) }));
    saveCsv('installations.csv', [
      fleetCsvHeader(language),
      ...chosen.map((row) => fleetCsvLine(row, language)),
    ]);
  };
  return (
    <>
      <strong>
        {t('list.selected', {
          number: formats.count(selection.count),
          all: formats.count(list.total?.count ?? list.ids.length),
        })}
      </strong>
      <Button variant="subtle" size="compact-xs" onClick={selection.clear}>
        {t('list.selectNone')}
      </Button>
      <RunButton
        target={{ ids: [...selection.chosen], search, count: selection.count }}
        name={t('run.selected')}
        onStarted={onRunStarted}
      />
      <Button
        variant="default"
        size="xs"
        leftSection={<Download size={15} aria-hidden="true" />}
        onClick={save}
      >
        {t('list.csv')}
      </Button>
    </>
  );
}
