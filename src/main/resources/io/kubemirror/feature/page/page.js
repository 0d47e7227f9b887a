// Starts the parts of the page.

import { stream } from './page-elements.js';
import './page-feed.js';
import './page-objects.js';
import { showLoss, showState } from './page-state.js';

stream(() => 'page/state', { events: { state: showState }, onLost: showLoss });
