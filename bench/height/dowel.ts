// Imported by its path: the package's own `observeHeight` needs a host, whose handshake is not measured here.
import { followHeight } from '../../packages/adapter/src/height.ts';
import './page.ts';

followHeight(document.body, window.reportHeight, new AbortController().signal);
