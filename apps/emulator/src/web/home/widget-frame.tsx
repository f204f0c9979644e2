/** A plug-in's page in a sandboxed frame, as tall as the plug-in asks. */
import type { Instance } from '@dowel/emulator/control-api';
import { useLayoutEffect, useRef, useState } from 'react';
import { requestInitJwt } from '../control-client.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { clampFrameHeight, createFrameListener } from './frame-protocol.ts';

/** No allow-same-origin: the plug-in gets an opaque origin, away from this page's cookies. */
const sandbox = 'allow-scripts allow-forms allow-popups allow-downloads';

export interface WidgetFrameProps {
  instance: Instance;
  /** The plug-in's name. */
  title: string;
}

export function WidgetFrame({ instance, title }: WidgetFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(instance.height && clampFrameHeight(instance.height));
  const [initError, setInitError] = useState<unknown>(null);
  const { instanceId } = instance;

  // A layout effect, so that the listener is there before the frame can run its first line.
  useLayoutEffect(() => {
    let isCurrent = true;
    const listener = createFrameListener({
      instanceId,
      frameWindow: () => (isCurrent ? (frame.current?.contentWindow ?? null) : null),
      requestInitJwt,
      onHeight: setHeight,
      onInitSettled: (error) => isCurrent && setInitError(error),
    });
    window.addEventListener('message', listener);
    return () => {
      isCurrent = false;
      window.removeEventListener('message', listener);
    };
  }, [instanceId]);

  return (
    <>
      {initError !== null && (
        <ErrorAlert title="The plug-in's start could not be answered" error={initError} m="md" />
      )}
      <iframe
        ref={frame}
        className="widget-frame"
        title={title}
        src={instance.url}
        sandbox={sandbox}
        allow="camera; geolocation; fullscreen"
        referrerPolicy="strict-origin"
        style={height === null ? undefined : { height, aspectRatio: 'auto' }}
      />
    </>
  );
}
