/** A plug-in's page in a sandboxed frame, as tall as the plug-in asks. */
import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { requestInitJwt } from '../control-client.ts';
import { ErrorAlert } from '../error-alert.tsx';
import {
  clampFrameHeight,
  createFrameConversation,
  type FrameConversation,
  type FrameView,
} from './frame-protocol.ts';

/** No allow-same-origin: the plug-in gets an opaque origin without access to this page's cookies. */
const sandbox = 'allow-scripts allow-forms allow-popups allow-downloads';

export type WidgetFrameHandle = Pick<FrameConversation, 'askToSave'>;

export interface WidgetFrameProps {
  instanceId: string;
  /** The `src` of the page's URL. */
  src: string;
  view: FrameView;
  /** The URL of the page that the view shows. */
  url: string;
  /** CSS pixels or a ratio, until the page sets its own; 16:9 when null. */
  height: number | string | null;
  title: string;
  ref?: Ref<WidgetFrameHandle>;
}

export function WidgetFrame({
  instanceId,
  src,
  view,
  url,
  title,
  ref,
  ...props
}: WidgetFrameProps) {
  const { t } = useTranslation();
  const frame = useRef<HTMLIFrameElement>(null);
  const conversation = useRef<FrameConversation>(null);
  const [height, setHeight] = useState(props.height);
  const [initError, setInitError] = useState<unknown>(null);

  // A layout effect, so that the listener exists before the frame runs its first line.
  useLayoutEffect(() => {
    const current = createFrameConversation({
      instanceId,
      src,
      view,
      frameWindow: () => frame.current?.contentWindow ?? null,
      requestInitJwt,
      onHeight: setHeight,
      onInitSettled: setInitError,
    });
    conversation.current = current;
    window.addEventListener('message', current.listener);
    return () => {
      window.removeEventListener('message', current.listener);
      current.end();
    };
  }, [instanceId, src, view]);

  useImperativeHandle(ref, () => ({
    askToSave: async (request) =>
      (await conversation.current?.askToSave(request)) ?? { kind: 'unanswered' },
  }));

  return (
    <>
      {initError !== null && <ErrorAlert title={t('widget.initFailed')} error={initError} m="md" />}
      <iframe
        ref={frame}
        className="widget-frame"
        title={title}
        src={url}
        sandbox={sandbox}
        allow="camera; geolocation; fullscreen"
        referrerPolicy="strict-origin"
        style={styleOf(height)}
      />
    </>
  );
}

function styleOf(height: WidgetFrameProps['height']) {
  if (height === null) return undefined;
  if (typeof height === 'string') return { aspectRatio: height.replace(':', ' / ') };
  return { height: clampFrameHeight(height), aspectRatio: 'auto' };
}
