import { installSchema } from '@dowel/emulator/control-api';
import { Button, Loader, Text, TextInput, Title } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import { type FormEvent, useId, useState } from 'react';
import { FailureAlert } from './failure-alert.tsx';
import { useInstall } from './plugin-mutations.ts';
import { readSampleManifestUrl } from './sample-manifest.ts';

/** Installs the plug-in whose manifest is at a URL. Shows progress and errors. */
export function InstallForm() {
  const headingId = useId();
  const [manifestUrl, setManifestUrl] = useState(readSampleManifestUrl);
  const [inputError, setInputError] = useState<string | null>(null);
  const install = useInstall();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = installSchema.safeParse({ manifestUrl: manifestUrl.trim() });
    setInputError(
      parsed.success ? null : 'Give the full address, starting with http:// or https://',
    );
    if (parsed.success) install.mutate(parsed.data.manifestUrl);
    else install.reset();
  };

  return (
    <section className="panel" aria-labelledby={headingId}>
      <Title order={2} size="h4" id={headingId} mb="xs">
        Install a plug-in
      </Title>
      <form className="install-form" onSubmit={submit} noValidate>
        <TextInput
          label="Manifest URL"
          description="The address of your plug-in’s manifest.json, as this machine sees it."
          placeholder="http://localhost:4310/manifest.json"
          type="url"
          inputWrapperOrder={['label', 'description', 'error', 'input']}
          value={manifestUrl}
          error={inputError}
          onChange={(event) => setManifestUrl(event.currentTarget.value)}
        />
        <Button
          type="submit"
          disabled={install.isPending}
          leftSection={<Download size={18} aria-hidden />}
        >
          Install
        </Button>
      </form>
      <div aria-live="polite">{install.isPending && <InstallProgress />}</div>
      {install.isError && (
        <FailureAlert title="The installation failed" error={install.error} mt="md" />
      )}
    </section>
  );
}

function InstallProgress() {
  return (
    <div className="install-progress">
      <Loader size="sm" aria-hidden />
      <Text size="sm">
        Reading the manifest, then sending the install and access_token events. Each may take up to
        30 seconds.
      </Text>
    </div>
  );
}
