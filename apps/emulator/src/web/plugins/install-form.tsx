import { installSchema } from '@dowel/emulator/control-api';
import { Button, Loader, Text, TextInput, Title } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FailureAlert } from './failure-alert.tsx';
import { useInstall } from './plugin-mutations.ts';
import { readSampleManifestUrl } from './sample-manifest.ts';

/** Installs the plug-in whose manifest is at a URL. Shows progress and errors. */
export function InstallForm() {
  const { t } = useTranslation();
  const headingId = useId();
  const [manifestUrl, setManifestUrl] = useState(readSampleManifestUrl);
  const [isInvalid, setInvalid] = useState(false);
  const install = useInstall();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = installSchema.safeParse({ manifestUrl: manifestUrl.trim() });
    setInvalid(!parsed.success);
    if (parsed.success) install.mutate(parsed.data.manifestUrl);
    else install.reset();
  };

  return (
    <section className="panel" aria-labelledby={headingId}>
      <Title order={2} size="h4" id={headingId} mb="xs">
        {t('install.title')}
      </Title>
      <form className="install-form" onSubmit={submit} noValidate>
        <TextInput
          label={t('install.url')}
          description={t('install.urlHint')}
          placeholder="http://localhost:4310/manifest.json"
          type="url"
          inputWrapperOrder={['label', 'description', 'error', 'input']}
          value={manifestUrl}
          error={isInvalid && t('install.urlInvalid')}
          onChange={(event) => setManifestUrl(event.currentTarget.value)}
        />
        <Button
          type="submit"
          disabled={install.isPending}
          leftSection={<Download size={18} aria-hidden />}
        >
          {t('install.submit')}
        </Button>
      </form>
      <div aria-live="polite">{install.isPending && <InstallProgress />}</div>
      {install.isError && (
        <FailureAlert title={t('install.failed')} error={install.error} mt="md" />
      )}
    </section>
  );
}

function InstallProgress() {
  const { t } = useTranslation();
  return (
    <div className="install-progress">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{t('install.progress')}</Text>
    </div>
  );
}
