// The resources with their states, and the diagnosis of one of them.

import { SAMPLES, button, byId, cell, clientText, element, fetchJson, hideEmpty, nameOf, numbers, rateText, readable, setText, size, span, svgElement, tableRow, timeText, within, words } from './page-elements.js';

const table = byId('resources');
const details = byId('details');
const rows = new Map();
let past = {};

/** The events that are changes, which bookmarks are not. */
const RECEIVED = ['added', 'modified', 'deleted'];

class Plot {
    constructor() {
        this.values = [];
        this.svg = svgElement('svg', { viewBox: `0 0 ${SAMPLES - 1} 26`, preserveAspectRatio: 'none', role: 'img' });
        const [base, area, stroke] = ['base', 'area', 'stroke'].map((name) => svgElement('path', { class: name }));
        this.svg.append(base, area, stroke);
        base.setAttribute('d', `M0 25.5H${SAMPLES}`);
        this.area = area;
        this.stroke = stroke;
    }

    add(...values) {
        this.values.push(...values);
        this.values.splice(0, this.values.length - SAMPLES);
        const top = Math.max(1, ...this.values);
        const first = SAMPLES - this.values.length;
        const line = this.values.map((v, i) => `${first + i} ${(25 - (23 * v) / top).toFixed(1)}`).join('L');
        this.stroke.setAttribute('d', `M${line}`);
        this.area.setAttribute('d', `M${first} 25.5L${line}V25.5Z`);
        this.svg.setAttribute('aria-label', `at most ${rateText(top)} per second`);
    }
}

const inNamespace = ({ resource, namespace }) => (namespace ? `${resource} in ${namespace === '*' ? 'several namespaces' : namespace}` : resource);

class ResourceRow {
    constructor(mirror) {
        const { name, selector } = mirror;
        const names = ['state', 'objects', 'bytes', 'revision', 'contact', 'rate', 'plot', 'lag', 'watchers', 'window'];
        this.cells = Object.fromEntries(names.map((key) => [key, element('td')]));
        this.state = element('span', 'state');
        this.cells.state.append(this.state);
        this.plot = new Plot();
        this.cells.plot.className = 'plot';
        this.cells.plot.append(this.plot.svg);
        const more = button('link', inNamespace(mirror), () => showDetails(name));
        more.setAttribute('aria-haspopup', 'dialog');
        const head = element('th', '', more, ' ');
        head.scope = 'row';
        if (selector) {
            head.append(element('small', '', selector));
        }
        this.row = tableRow(table, head, ...Object.values(this.cells));
        this.lags = [];
        this.rate = 0;
    }

    show(mirror, delays, at, uptime) {
        const { objects, bytes, revision, contact, rate, lag, watchers, window } = this.cells;
        setText(this.state, words(mirror.state.phase));
        this.state.className = `state ${health(mirror.state)}`;
        setText(objects, numbers.format(mirror.content.objects));
        setText(bytes, size(mirror.content.bytes));
        setText(revision, mirror.content.revision);
        setText(contact, mirror.state.contactAgeSeconds == null ? 'never' : `${span(mirror.state.contactAgeSeconds)} ago`);
        setText(watchers, numbers.format(mirror.watchers.open));
        const { changes, spanSeconds } = mirror.window;
        setText(window, changes ? `${numbers.format(changes)} in ${span(spanSeconds)}` : '0');
        if (this.at !== at) {
            this.sample(mirror, delays, at, uptime);
        }
        setText(rate, rateText(this.rate));
        setText(lag, this.lagText);
    }

    /** Computes changes per second since the last sample, at first from the history, and the lag of the last two minutes. */
    sample({ name, counts, window }, lag, at, uptime) {
        const received = RECEIVED.reduce((total, type) => total + (counts[`upstream.events.${type}`] ?? 0), 0);
        if (past[name]) {
            const known = received > window.changes ? window.spanSeconds : uptime;
            this.plot.values = [];
            this.plot.add(...past[name].slice(-Math.max(1, Math.floor(known))));
            this.rate = past[name].at(-1);
            delete past[name];
        } else if (this.at) {
            this.rate = received >= this.received ? (received - this.received) / ((at - this.at) / 1000) : 0;
            this.plot.add(this.rate);
        }
        this.at = at;
        this.received = received;
        if (lag) {
            if (lag.count < (this.lags.at(-1)?.count ?? 0)) {
                this.lags = [];
            }
            this.lags.push(lag);
            this.lags.splice(0, this.lags.length - SAMPLES);
        }
        this.lagText = lag ? within(0.99, this.lags[0], lag) : '–';
    }
}

/** The class of a state, the same in all views: good if connected, bad with a problem, otherwise warn. */
export function health({ synced, phase, problem }) {
    if (phase === 'watching' && synced !== false) {
        return 'good';
    }
    return problem ? 'bad' : 'warn';
}

/** Takes the changes in each of the last seconds, which the charts begin with. */
export function takePast(counts) {
    past = counts;
}

/** Shows all mirrors, and returns the changes per second of all of them. */
export function showMirrors(mirrors, lags, at, uptime) {
    const present = new Set(mirrors.map(({ name }) => name));
    for (const [name, { row }] of rows) {
        if (!present.has(name)) {
            row.remove();
            rows.delete(name);
            document.querySelectorAll('select[name="mirror"]').forEach((list) => [...list.options].find(({ value }) => value === name)?.remove());
        }
    }
    const rate = mirrors.reduce((total, mirror) => {
        const row = rows.get(mirror.name) ?? addRow(mirror);
        row.show(mirror, lags[mirror.name], at, uptime);
        return total + row.rate;
    }, 0);
    hideEmpty(table, 'Lag, 99 %', 'Watches');
    return rate;
}

function addRow(mirror) {
    const row = new ResourceRow(mirror);
    rows.set(mirror.name, row);
    table.tBodies[0].append(row.row);
    readable.set(mirror.name, [inNamespace(mirror), mirror.selector].filter(Boolean).join(' '));
    // Events may arrive before the names.
    [...byId('events').tBodies[0].rows].map(({ cells }) => cells[2]).filter((named) => named?.textContent === mirror.name).forEach((named) => setText(named, nameOf(mirror.name)));
    document.querySelectorAll('select[name="mirror"]').forEach((list) => list.append(new Option(nameOf(mirror.name), mirror.name)));
    return row;
}

// The diagnosis of one resource, which also sends requests to the API server.

async function showDetails(name) {
    setText(byId('details-title'), nameOf(name));
    byId('facts').replaceChildren(fact('Loading', ''));
    byId('followers').tBodies[0].replaceChildren();
    byId('unwatched').hidden = true;
    details.showModal();
    try {
        const { at, findings, mirrors } = await fetchJson(`actuator/mirrors/${name.split('/').map(encodeURIComponent).join('/')}`);
        showMirror(Date.parse(at), findings, mirrors[0]);
    } catch (failure) {
        byId('facts').replaceChildren(fact('Cannot load the diagnosis', failure.message));
    }
}

function showMirror(at, findings, { state, sync, access, window, watchers, stateChanges }) {
    const ago = (time) => `${span(Math.max(0, at - Date.parse(time)) / 1000)} ago`;
    const allowed = ([verb, { allowed, reason }]) => `${verb}: ${allowed == null ? 'unknown' : allowed ? 'yes' : 'no'}${reason ? ` (${reason})` : ''}`;
    byId('facts').replaceChildren(
        ...findings.map(({ severity, text, action }) => fact(severity, `${text}. ${action}`, severity === 'note' ? '' : 'bad')),
        fact('State', `${words(state.phase)} since ${ago(state.since)}`),
        fact('Last error', state.lastError ? `${state.lastError.problem}, ${ago(state.lastError.at)}` : 'none'),
        fact('States', stateChanges.map((change) => `${words(change.phase)} at ${timeText(change.at)}`).join(', ') || 'those of its members'),
        fact('Strategy', [sync.strategy, ...sync.serverCapabilities].join('; ')),
        fact('Last synchronized', sync.last ? `by ${sync.last.how} in ${span(sync.last.seconds)}, ${ago(sync.last.at)}` : 'never'),
        fact('Allowed', Object.entries(access).map(allowed).join(', ') || 'unknown'),
        fact('History', `${numbers.format(window.changes)} changes in ${span(window.spanSeconds)}, ${size(window.bytes)}, from revision ${window.floor}`));
    const followers = byId('followers');
    followers.tBodies[0].replaceChildren(...watchers.shown.map((watcher) => tableRow(
        followers,
        cell(clientText(watcher)),
        cell(watcher.agent ?? ''),
        cell(watcher.selection ?? 'all'),
        cell(ago(watcher.since)),
        cell(numbers.format(watcher.behind)),
        cell(numbers.format(watcher.events)),
        cell(size(watcher.bytes)))));
    setText(byId('unwatched'), watchers.open ? `and ${numbers.format(watchers.more)} more` : 'No open watches.');
    byId('unwatched').hidden = watchers.open > 0 && watchers.more === 0;
}

const fact = (name, text, className) => element('div', className, element('dt', '', name), element('dd', '', text));

byId('close').addEventListener('click', () => details.close());
