// Starts the parts of the page.

import { stream } from './page-elements.js';
import './page-feed.js';
import './page-objects.js';
import { takePast } from './page-resources.js';
import { showLoss, showState } from './page-state.js';

stream(() => 'page/state', { events: { past: takePast, state: showState }, onLost: showLoss });
