// Gives the status page recorded data and the time of the recording, so that its pictures are the same each time.

const recording = RECORDING;
const now = Date.parse(recording.state.diagnosis.at);

/** Up to a minute before the recording: at least half of the changes, and no requests. */
function earlier(minutes) {
    const state = structuredClone(recording.state);
    state.diagnosis.at = new Date(now - 60000 * minutes).toISOString();
    state.diagnosis.mirrors.forEach(({ counts }) => { counts['upstream.events.modified'] *= 1 - (minutes * minutes) / 2; });
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
    constructor() {
        super();
        const tell = (type, data) => this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
        queueMicrotask(() => {
            [1, 0.8, 0.6, 0.4, 0.2].forEach((minutes) => tell('state', earlier(minutes)));
            tell('changes', recording.changes);
        });
        this.beat = setInterval(() => tell('state', recording.state), 200);
    }

    close() {
        clearInterval(this.beat);
    }
};
