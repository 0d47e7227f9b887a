// Gives the status page recorded data and the time of the recording, so that its pictures are the same each time.

const recording = RECORDING;
const now = Date.parse(recording.state.diagnosis.at);

/** A minute before the recording: half of the changes, and no requests. */
function earlier() {
    const state = structuredClone(recording.state);
    state.diagnosis.at = new Date(now - 60000).toISOString();
    state.diagnosis.mirrors.forEach(({ counts }) => { counts['upstream.events.modified'] /= 2; });
    Object.values(state.lags).forEach((lag) => { lag.count = 0; lag.within = {}; });
    return { ...state, requests: [] };
}

globalThis.Date = class extends Date {
    constructor(...time) {
        super(...(time.length ? time : [now]));
    }

    static now() {
        return now;
    }
};

globalThis.EventSource = class extends EventTarget {
    constructor(address) {
        super();
        const feed = address.startsWith('page/feed');
        const tell = (type, data) => this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
        queueMicrotask(() => {
            if (feed) {
                tell('begun', recording.begun);
            } else {
                tell('past', recording.past);
                tell('state', earlier());
            }
        });
        this.beat = setInterval(() => (feed ? tell('alive', {}) : tell('state', recording.state)), 200);
    }

    close() {
        clearInterval(this.beat);
    }
};

globalThis.fetch = async (address) => Response.json(recording[address.split('?')[0]]);
