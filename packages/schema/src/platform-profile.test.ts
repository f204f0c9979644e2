import { expect, test } from 'vitest';
import { defaultPlatformProfile, parseNotificationPath } from './platform-profile.ts';

test.each([
  ['widget-1', 'widget-1'],
  ['widget:42', 'widget%3A42'],
  ['a/../b?c#d', 'a%2F..%2Fb%3Fc%23d'],
  ["$& $1 $'", "%24%26%20%241%20%24'"],
  ['{pluginId}', '%7BpluginId%7D'],
  ['ü', '%C3%BC'],
])('the widget %j is one segment of the path: %s', (instanceId, segment) => {
  expect(defaultPlatformProfile.notificationPath('p', instanceId)).toBe(
    `/api/plugins/p/instances/${segment}/notifications`,
  );
  expect(parseNotificationPath('/v2/{instanceId}/of/{pluginId}')('p', instanceId)).toBe(
    `/v2/${segment}/of/p`,
  );
});
