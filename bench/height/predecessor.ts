import { PluginAdapter } from '@coyoapp/plugin-adapter';

new PluginAdapter('instance-1').observeHeight(false, 'body');
