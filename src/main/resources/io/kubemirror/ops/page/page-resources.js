'use strict';

// Inserts all data from kubemirror as text, never as markup.

const SAMPLES = 120;
const ROWS = 300;
const PATIENCE = 5000;
const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1 });

function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) {
        made.className = className;
    }
    made.append(...content);
    return made;
}

/** Sets a text only if it differs, so that screen readers and the browser do not process it again. */
function setText(target, text) {
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

function size(bytes) {
    const units = ['B', 'KB', 'MB', 'GB'];
    let unit = 0;
    let value = bytes;
    while (value >= 1000 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function span(seconds) {
    if (seconds < 10) {
        return `${seconds.toFixed(1)} s`;
    }
    if (seconds < 120) {
        return `${Math.floor(seconds)} s`;
    }
    if (seconds < 7200) {
        return `${Math.floor(seconds / 60)} min`;
    }
    return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}

const rateText = (rate) => (rate >= 100 ? numbers.format(Math.round(rate)) : rate.toFixed(1));

// An event stream that reconnects after any end, and counts as lost if it sends nothing.

function stream(address, { events, onOpen = () => {}, onLost = () => {} }) {
    let source;
    let watchdog;
    let retry;
    const alive = () => {
        clearTimeout(watchdog);
        watchdog = setTimeout(lose, PATIENCE);
    };
    function lose() {
        onLost();
        close();
        retry = setTimeout(open, 1000);
    }
    function open() {
        source = new EventSource(address());
        source.onopen = () => {
            alive();
            onOpen();
        };
        source.onerror = lose;
        for (const [name, take] of Object.entries(events)) {
            source.addEventListener(name, ({ data }) => {
                alive();
                take(JSON.parse(data));
            });
        }
        alive();
    }
    function close() {
        clearTimeout(watchdog);
        clearTimeout(retry);
        source?.close();
    }
    open();
    return { close, reopen: () => { close(); open(); } };
}

// The resources.

class Plot {
    static NS = 'http://www.w3.org/2000/svg';

    constructor() {
        this.values = [];
        this.svg = document.createElementNS(Plot.NS, 'svg');
        this.svg.setAttribute('viewBox', `0 0 ${SAMPLES - 1} 26`);
        this.svg.setAttribute('preserveAspectRatio', 'none');
        this.svg.setAttribute('role', 'img');
        const [base, area, stroke] = ['base', 'area', 'stroke'].map((name) => {
            const path = document.createElementNS(Plot.NS, 'path');
            path.setAttribute('class', name);
            this.svg.append(path);
            return path;
        });
        base.setAttribute('d', `M0 25.5H${SAMPLES}`);
        this.area = area;
        this.stroke = stroke;
    }

    add(value) {
        this.values.push(value);
        this.values.splice(0, this.values.length - SAMPLES);
        const top = Math.max(1, ...this.values);
        const first = SAMPLES - this.values.length;
        const line = this.values.map((v, i) => `${first + i} ${(25 - (23 * v) / top).toFixed(1)}`).join('L');
        this.stroke.setAttribute('d', `M${line}`);
        this.area.setAttribute('d', `M${first} 25.5L${line}V25.5Z`);
        this.svg.setAttribute('aria-label', `at most ${rateText(top)} per second`);
    }
}

class ResourceRow {
    constructor(name, title, selector) {
        this.cells = Object.fromEntries(
            ['state', 'objects', 'bytes', 'revision', 'contact', 'rate', 'watchers', 'window'].map((key) => [key, element('td', 'number')]));
        this.cells.state.className = '';
        this.state = element('span', 'state');
        this.cells.state.append(this.state);
        this.plot = new Plot();
        const { state, objects, bytes, revision, contact, rate, watchers, window } = this.cells;
        const more = element('button', 'link', title);
        more.type = 'button';
        more.setAttribute('aria-haspopup', 'dialog');
        more.addEventListener('click', () => showDetails(name));
        const head = element('th', '', more, ' ');
        head.scope = 'row';
        if (selector) {
            head.append(element('small', '', selector));
        }
        this.row = element('tr', '', head, state, objects, bytes, revision, contact, rate, element('td', 'plot', this.plot.svg), watchers, window);
        this.problem = element('td');
        this.problem.colSpan = 10;
        this.trouble = element('tr', 'problem', this.problem);
        this.trouble.hidden = true;
    }

    show(mirror, at) {
        const { objects, bytes, revision, contact, rate, watchers, window } = this.cells;
        setText(this.state, mirror.state.phase.replaceAll('-', ' '));
        this.state.className = `state ${health(mirror)}`;
        setText(objects, numbers.format(mirror.content.objects));
        setText(bytes, size(mirror.content.bytes));
        setText(revision, mirror.content.revision);
        setText(contact, mirror.state.contactAgeSeconds == null ? 'never' : `${span(mirror.state.contactAgeSeconds)} ago`);
        setText(watchers, numbers.format(mirror.watchers) + (mirror.behind > 0 ? `, ${numbers.format(mirror.behind)} behind` : ''));
        setText(window, `${numbers.format(mirror.window.changes)} in ${span(mirror.window.spanSeconds)}`);
        setText(rate, rateText(this.count(mirror.received, at)));
        setText(this.problem, mirror.state.problem ?? '');
        this.trouble.hidden = !mirror.state.problem;
    }

    /** Changes per second since the last sample, which may be the same; none across a restart. */
    count(received, at) {
        const before = this.last;
        if (before?.at === at) {
            return this.rate;
        }
        this.last = { received, at };
        const seconds = before ? (at - before.at) / 1000 : 0;
        this.rate = seconds > 0 && received >= before.received ? (received - before.received) / seconds : 0;
        this.plot.add(this.rate);
        return this.rate;
    }
}

const rows = new Map();

function health({ state }) {
    if (!state.synced) {
        return state.problem ? 'bad' : 'warn';
    }
    return state.phase === 'watching' ? 'good' : 'warn';
}

function rowOf({ name, resource, namespace, selector }) {
    let row = rows.get(name);
    if (!row) {
        row = new ResourceRow(name, resource + (namespace ? `/${namespace}` : ''), selector);
        rows.set(name, row);
        document.querySelector('#resources tbody').append(row.row, row.trouble);
        byId('filter').elements.mirror.append(new Option(name, name));
    }
    return row;
}

function showState(state) {
    const at = Date.parse(state.at);
    state.mirrors.forEach((mirror) => rowOf(mirror).show(mirror, at));
    const sum = (value) => state.mirrors.reduce((total, mirror) => total + value(mirror), 0);
    setText(byId('configuration'), `The configuration files are not in force: ${state.configuration}`);
    byId('configuration').hidden = !state.configuration;
    setText(byId('upstream'), `${state.program.version}, mirrors ${state.upstream}`);
    setText(byId('objects'), numbers.format(sum((mirror) => mirror.content.objects)));
    setText(byId('watchers'), numbers.format(sum((mirror) => mirror.watchers)));
    setText(byId('rate'), rateText([...rows.values()].reduce((total, row) => total + row.rate, 0)));
    setText(byId('uptime'), span(state.program.uptimeSeconds));
    byId('heap').replaceChildren(size(state.memory.heapUsedBytes), ' ', element('small', '', `of ${size(state.memory.heapMaxBytes)}`));
    byId('memory').replaceChildren(size(state.memory.budgetUsedBytes), ' ', element('small', '', `of ${size(state.memory.budgetLimitBytes)}`));
    showConnection(state.mirrors);
}

function showConnection(mirrors) {
    const connected = mirrors.filter((mirror) => health(mirror) === 'good').length;
    const pill = byId('connection');
    setText(pill, connected === mirrors.length ? 'all mirrors are connected' : `${connected} of ${mirrors.length} mirrors are connected`);
    pill.className = `pill ${connected === mirrors.length ? 'good' : 'warn'}`;
    byId('lost').hidden = true;
    document.body.classList.remove('lost');
}

function showLoss() {
    if (document.body.classList.contains('lost')) {
        return;
    }
    document.body.classList.add('lost');
    setText(byId('lost'), `Lost the connection to kubemirror at ${clock.format(new Date())}. The page shows the last known state and reconnects automatically.`);
    byId('lost').hidden = false;
    setText(byId('connection'), 'connection lost');
    byId('connection').className = 'pill bad';
}

// The diagnosis of one resource, which also sends requests to the API server.

const details = byId('details');

async function showDetails(name) {
    setText(byId('details-title'), name);
    byId('facts').replaceChildren(fact('Loading', ''));
    byId('followers').tBodies[0].replaceChildren();
    byId('unwatched').hidden = true;
    details.showModal();
    try {
        const answer = await fetch(`actuator/mirrors/${name.split('/').map(encodeURIComponent).join('/')}`);
        if (!answer.ok) {
            throw new Error(`HTTP ${answer.status}`);
        }
        const { at, findings, mirrors } = await answer.json();
        showMirror(Date.parse(at), findings, mirrors[0]);
    } catch (failure) {
        byId('facts').replaceChildren(fact('Cannot load the diagnosis', failure.message));
    }
}

function showMirror(at, findings, { state, sync, access, window, watchers }) {
    const ago = (time) => `${span(Math.max(0, at - Date.parse(time)) / 1000)} ago`;
    const allowed = ([verb, { allowed, reason }]) => `${verb}: ${allowed == null ? 'unknown' : allowed ? 'yes' : 'no'}${reason ? ` (${reason})` : ''}`;
    byId('facts').replaceChildren(
        ...findings.map(({ severity, text }) => fact(severity, text, severity === 'note' ? '' : 'bad')),
        fact('State', `${state.phase.replaceAll('-', ' ')} since ${ago(state.since)}`),
        fact('Last error', state.lastError ? `${state.lastError.problem}, ${ago(state.lastError.at)}` : 'none'),
        fact('Strategy', [sync.strategy, ...sync.lessons].join('; ')),
        fact('Last synchronized', sync.last ? `by ${sync.last.how} in ${span(sync.last.seconds)}, ${ago(sync.last.at)}` : 'never'),
        fact('Allowed', Object.entries(access).map(allowed).join(', ') || 'unknown'),
        fact('Window', `${numbers.format(window.changes)} changes in ${span(window.spanSeconds)}, ${size(window.bytes)}, from revision ${window.floor}`));
    byId('followers').tBodies[0].replaceChildren(...watchers.shown.map((watcher) => element('tr', '',
        element('td', '', watcher.client),
        element('td', '', watcher.agent ?? ''),
        element('td', '', watcher.selection ?? 'all'),
        element('td', 'number', ago(watcher.since)),
        element('td', 'number', numbers.format(watcher.behind)),
        element('td', 'number', numbers.format(watcher.events)),
        element('td', 'number', size(watcher.bytes)))));
    setText(byId('unwatched'), watchers.open ? `and ${numbers.format(watchers.more)} more` : 'No open watches.');
    byId('unwatched').hidden = watchers.open > 0 && watchers.more === 0;
}

const fact = (name, text, className) => element('div', className, element('dt', '', name), element('dd', '', text));

byId('close').addEventListener('click', () => details.close());

// The events.

const filter = byId('filter');
const eventRows = document.querySelector('#events tbody');
let held = [];
let paused = false;
let refused = false;

function feedAddress() {
    const chosen = [...new FormData(filter)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value);
    return `page/feed?${new URLSearchParams(chosen)}`;
}

function eventRow({ type, mirror, key, revision, at }) {
    return element('tr', '',
        element('td', '', clock.format(new Date(at))),
        element('td', type.toLowerCase(), type.toLowerCase()),
        element('td', '', mirror),
        element('td', '', key),
        element('td', 'number', revision));
}

function gapRow(count) {
    const cell = element('td', '', `${numbers.format(count)} more, too many to show`);
    cell.colSpan = 5;
    return element('tr', 'gap', cell);
}

function showEvents({ changes, more }) {
    const made = changes.map(eventRow).reverse();
    if (more > 0) {
        made.unshift(gapRow(more));
    }
    if (paused) {
        held = [...made, ...held].slice(0, ROWS);
        showWaiting();
    } else {
        prepend(made);
    }
}

/** Separate from the status, because screen readers announce each change of the status. */
function showWaiting() {
    setText(byId('waiting'), held.length ? `${held.length === ROWS ? `${ROWS} or more` : held.length} waiting` : '');
}

function prepend(made) {
    eventRows.prepend(...made);
    while (eventRows.rows.length > ROWS) {
        eventRows.lastElementChild.remove();
    }
    byId('quiet').hidden = eventRows.rows.length > 0;
}

function describe() {
    const words = [...new FormData(filter)].filter(([, value]) => value.trim()).map(([name, value]) => `${name} ${value.trim()}`);
    return words.length ? `events with ${words.join(', ')}` : 'all events';
}

function showRefusal(text) {
    refused = Boolean(text);
    filter.classList.toggle('refused', refused);
    byId('feed-status').classList.toggle('refused', refused);
    filter.elements.labels.setAttribute('aria-invalid', String(refused));
    setText(byId('feed-status'), text || (paused ? 'paused' : describe()));
}

const feed = stream(feedAddress, {
    events: {
        begun: () => showRefusal(''),
        alive: () => {},
        changes: showEvents,
        refused: ({ message }) => {
            showRefusal(message);
            feed.close();
        },
    },
    onLost: () => setText(byId('feed-status'), 'no connection'),
});

stream(() => 'page/state', { events: { state: showState }, onLost: showLoss });

function applyFilter() {
    clearTimeout(applyFilter.timer);
    eventRows.replaceChildren();
    held = [];
    showWaiting();
    byId('quiet').hidden = false;
    feed.reopen();
}

filter.addEventListener('submit', (event) => {
    event.preventDefault();
    applyFilter();
});
filter.addEventListener('input', () => {
    clearTimeout(applyFilter.timer);
    applyFilter.timer = setTimeout(applyFilter, 400);
});
filter.addEventListener('reset', () => setTimeout(applyFilter));
byId('pause').addEventListener('click', ({ currentTarget }) => {
    paused = !paused;
    currentTarget.setAttribute('aria-pressed', String(paused));
    if (!paused) {
        prepend(held);
        held = [];
        showWaiting();
    }
    if (!refused) {
        setText(byId('feed-status'), paused ? 'paused' : describe());
    }
});
