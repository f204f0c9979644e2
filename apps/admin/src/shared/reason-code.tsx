import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** A reason code. Lines may break after its underscores. */
export function ReasonCode({ reason }: { reason: string }) {
  const parts = reason.split(/(?<=_)/);
  return (
    <Code className="breakable">
      {parts.map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </Code>
  );
}
