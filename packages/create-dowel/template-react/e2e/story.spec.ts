/** The story in a browser: the widget inside the emulated platform, with the page as it is built. */
import { test } from '@dowel/dev/playwright';
import { expect } from '@playwright/test';
import { textsFor } from '../src/texts.ts';

test('a person votes once', async ({ widget, user }) => {
  const texts = textsFor(user.language);
  const status = widget.getByRole('status');

  await widget.getByRole('button', { name: texts.soup }).click();
  await expect(status).toHaveText(texts.results(1, 0));

  await widget.getByRole('button', { name: texts.salad }).click();
  await expect(status).toHaveText(texts.alreadyVoted);
});

test('a colleague is asked, also after the tokens were revoked', async ({
  widget,
  platform,
  tenant,
  user,
  installation,
}) => {
  const texts = textsFor(user.language);
  const [colleague] = tenant.users.filter(({ userId }) => userId !== user.userId);
  for (const what of ['accessTokens', 'refreshTokens'] as const) {
    platform.revoke({ tenantId: tenant.tenantId, pluginId: installation.pluginId, what });
  }

  await widget.getByLabel(texts.colleague).fill(colleague?.email ?? '');
  await widget.getByRole('button', { name: texts.invite, exact: true }).click();

  await expect(widget.getByRole('status')).toHaveText(texts.invited);
  const [newest] = platform.notifications(colleague?.userId ?? '');
  expect(newest).toMatchObject({ message: 'What is for lunch? Vote!' });
});
