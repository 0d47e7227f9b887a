// Starts the parts of the page.

import { stream } from './page-elements.js';
import { takeChanges } from './page-feed.js';
import { showLoss, showState } from './page-state.js';

stream('page/stream', { events: { state: showState, changes: takeChanges }, onLost: showLoss });
