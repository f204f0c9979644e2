import { useAutoHeight, usePlugin } from '@dowel/adapter/react';
import { ProblemMessage } from './problem-message.tsx';
import type { Settings } from './settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { useTexts } from './use-texts.ts';
import { Widget } from './widget.tsx';

/** The whole page: the plug-in's view, or its error. */
export function App() {
  const plugin = usePlugin<Settings>();
  const page = useAutoHeight();
  const init = plugin.status === 'ready' ? plugin.value : undefined;
  const texts = useTexts(init?.claims.ctx.userLanguage);

  return (
    <main ref={page} aria-label={init?.view === 'config' ? texts.settingsTitle : texts.name}>
      {plugin.status === 'loading' && (
        <p role="status" className="waiting">
          {texts.connecting}
        </p>
      )}
      {plugin.status === 'failed' && (
        <ProblemMessage error={plugin.error} texts={texts} title="h1" onRetry={plugin.retry} />
      )}
      {init?.view === 'main' && <Widget init={init} texts={texts} />}
      {init?.view === 'config' && <SettingsForm settings={init.config} texts={texts} />}
    </main>
  );
}
