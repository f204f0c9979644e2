/** Manifests in the shapes that authors publish: what they use beside `apiAccess` differs by version and by plug-in. */
const lunch = {
  name: { en: 'Lunch menu', de: 'Speiseplan' },
  description: { en: 'What the canteen cooks.', de: 'Was die Kantine kocht.' },
};
const widget = { ...lunch, id: '7c6f2f0e-8f5a-4d0e-9a53-0c1d5b7f2a10', url: '/week.html' };

/** By what is special, with the linter's findings. */
export const authorManifests: Record<string, { manifest: object; findings: string[] }> = {
  'pages without events': {
    manifest: {
      ...lunch,
      manifestVersion: '2.0.0',
      pluginVersion: '0.3.1',
      context: ['userName', 'userEmail'],
      config: [
        {
          key: 'colour',
          type: 'text',
          label: { en: 'Colour', de: 'Farbe' },
          placeholder: { en: '#336699' },
          pattern: '^#([a-f0-9]{6}|[a-f0-9]{3})$',
          required: true,
          default: '#ffffff',
        },
      ],
      entryPoints: [
        widget,
        {
          ...widget,
          id: '2b0d9b52-61de-47a3-a2a4-6a8b5d0f3c77',
          url: '/day.html',
          config: [
            {
              key: 'layout',
              type: 'radio',
              label: { en: 'Layout' },
              options: [
                { value: 'WIDE', label: { en: 'Wide' }, description: { en: 'With pictures' } },
                { value: 'NARROW', label: { en: 'Narrow' }, description: { en: 'Only texts' } },
              ],
              default: 'WIDE',
            },
          ],
        },
      ],
    },
    findings: [],
  },
  'the oldest version': {
    manifest: {
      ...lunch,
      manifestVersion: '0.7.0',
      pluginVersion: '1.0.0',
      data: ['userName'],
      entryPoints: [widget],
    },
    findings: ['CONTEXT_NAMED_DATA /data'],
  },
  'a page for its configuration': {
    manifest: {
      ...lunch,
      manifestVersion: '2.3.0',
      pluginVersion: '1.4.0',
      coyoVersion: '37.0.0',
      thumbnail: 'https://cdn.example.com/lunch.png',
      lifecycle: { url: '/hooks/', events: ['install', 'uninstall'] },
      entryPoints: [{ ...widget, configUrl: '/config.html' }],
    },
    findings: [
      'URL_FOREIGN_ORIGIN /thumbnail',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
      'INSTANCE_EVENT_MISSING /lifecycle/events',
    ],
  },
  'ratios and permissions': {
    manifest: {
      ...lunch,
      manifestVersion: '2.4.0',
      pluginVersion: '2.0.0-beta.1',
      entryPoints: [
        { ...widget, height: '4:3', permissionsPolicy: ['camera', 'geolocation'] },
        {
          ...widget,
          id: '9e8a4c1b-33aa-4c39-8d0e-7d1f0a2b4c66',
          height: 320,
          permissionsPolicy: 'fullscreen',
        },
      ],
    },
    findings: [],
  },
  'more than is known': {
    manifest: {
      ...lunch,
      manifestVersion: '2.6.0',
      pluginVersion: '3.1.0',
      author: { name: 'Canteen' },
      lifecycle: { url: 'hooks/', events: ['install', 'uninstall', 'update', 'user_delete'] },
      apiAccess: {
        url: 'hooks/',
        client: {
          mode: ['authorization_code', 'client_credentials'],
          scope: ['plugin:notify', 'plugin:read'],
        },
      },
      entryPoints: [{ ...widget, icon: 'soup', height: 'auto' }],
    },
    findings: [
      'MANIFEST_VERSION_UNKNOWN /manifestVersion',
      'FIELD_UNKNOWN /author',
      'FIELD_VALUE_WRONG /lifecycle/events/2',
      'FIELD_VALUE_WRONG /lifecycle/events/3',
      'FIELD_VALUE_WRONG /apiAccess/client/mode/1',
      'FIELD_VALUE_WRONG /apiAccess/client/scope/1',
      'FIELD_UNKNOWN /entryPoints/0/icon',
      'FIELD_VALUE_WRONG /entryPoints/0/height',
    ],
  },
  'api access without an address': {
    manifest: {
      ...lunch,
      manifestVersion: '2.0.0',
      pluginVersion: '1.0.0',
      lifecycle: {
        url: 'hooks/',
        events: ['install', 'uninstall', 'instance_add', 'instance_remove'],
      },
      apiAccess: { scopes: ['user:read'], endpoints: ['/users'] },
      webhooks: { access_token: '/hooks/access_token' },
      oauth2: { scopes: ['openid'], client_id: 'lunch' },
      entryPoints: [{ ...widget, url: '/' }],
    },
    findings: [
      'FIELD_MISSING /apiAccess/url',
      'FIELD_MISSING /apiAccess/client',
      'FIELD_UNKNOWN /apiAccess/scopes',
      'FIELD_UNKNOWN /apiAccess/endpoints',
      'FIELD_UNKNOWN /webhooks',
      'FIELD_UNKNOWN /oauth2',
    ],
  },
  'members that the platform does not know': {
    manifest: {
      ...lunch,
      manifestVersion: '2.0.0',
      pluginVersion: '1.0.0',
      apiAccess: {
        url: '/hooks/access_token',
        client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
      },
      permissions: { notify: true },
      sandbox: { scripts: true },
      security: { jkuWhitelist: ['https://keys.example.com'] },
      referrerPolicy: 'origin',
      entryPoints: [widget],
    },
    findings: [
      'API_ACCESS_VERSION_OLD /manifestVersion',
      'API_ACCESS_WITHOUT_LIFECYCLE /apiAccess',
      'BASE_URL_ENDS_IN_EVENT /apiAccess/url',
      'FIELD_UNKNOWN /permissions',
      'FIELD_UNKNOWN /sandbox',
      'FIELD_UNKNOWN /security',
      'FIELD_UNKNOWN /referrerPolicy',
    ],
  },
  'guessed forms': {
    manifest: {
      name: 'Lunch menu',
      description: 'What the canteen cooks.',
      manifestVersion: '2.2.0',
      pluginVersion: '1.0.0',
      identifier: 'lunch',
      context: ['userName, userEmail'],
      config: { fields: [{ id: 'colour', defaultValue: '#336699' }] },
      lifecycle: { url: 'hooks/', events: ['install', 'access_token'] },
      entryPoints: [{ type: 'widget', url: 'index.html' }],
    },
    findings: [
      'FIELD_TYPE_WRONG /name',
      'FIELD_TYPE_WRONG /description',
      'FIELD_UNKNOWN /identifier',
      'FIELD_TYPE_WRONG /config',
      'ACCESS_TOKEN_LISTED /lifecycle/events/1',
      'FIELD_MISSING /entryPoints/0/id',
      'FIELD_MISSING /entryPoints/0/name',
      'FIELD_MISSING /entryPoints/0/description',
      'FIELD_UNKNOWN /entryPoints/0/type',
    ],
  },
};
