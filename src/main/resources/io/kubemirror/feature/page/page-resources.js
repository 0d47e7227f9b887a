// The resources with their states. The name of one is a link to its diagnosis.

import { SAMPLES, byId, element, hideEmpty, nameOf, numbers, rateText, readable, setText, size, span, svgElement, tableRow, within, words } from './page-elements.js';

const table = byId('resources');
const rows = new Map();

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
        const more = element('a', '', inNamespace(mirror));
        more.href = `actuator/mirrors/${name.split('/').map(encodeURIComponent).join('/')}`;
        const head = element('th', '', more, ' ');
        head.scope = 'row';
        if (selector) {
            head.append(element('small', '', selector));
        }
        this.row = tableRow(table, head, ...Object.values(this.cells));
        this.row.addEventListener('click', () => this.row.classList.toggle('open'));
        this.lags = [];
        this.rate = 0;
    }

    show(mirror, delays, at) {
        const { objects, bytes, revision, contact, rate, lag, watchers, window } = this.cells;
        setText(this.state, words(mirror.state.phase));
        this.state.className = `state ${health(mirror.state)}`;
        this.row.classList.toggle('healthy', health(mirror.state) === 'good');
        setText(objects, numbers.format(mirror.content.objects));
        setText(bytes, size(mirror.content.bytes));
        setText(revision, mirror.content.revision);
        setText(contact, mirror.state.contactAgeSeconds == null ? 'never' : `${span(mirror.state.contactAgeSeconds)} ago`);
        setText(watchers, numbers.format(mirror.watchers.open));
        const { changes, spanSeconds } = mirror.window;
        setText(window, changes ? `${numbers.format(changes)} in ${span(spanSeconds)}` : '0');
        if (this.at !== at) {
            this.sample(mirror, delays, at);
        }
        setText(rate, rateText(this.rate));
        setText(lag, this.lagText);
    }

    /** Computes changes per second since the last sample, and the lag of the last two minutes. */
    sample({ counts }, lag, at) {
        const received = RECEIVED.reduce((total, type) => total + (counts[`upstream.events.${type}`] ?? 0), 0);
        if (this.at) {
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

/**
 * The class of a state, the same in all views, and that of its finding: bad if requests get no answer or an old one
 * because of a problem, good if connected, otherwise warn.
 */
export function health({ synced, lost, phase, problem }) {
    if (lost || (!synced && problem)) {
        return 'bad';
    }
    return synced && phase === 'watching' ? 'good' : 'warn';
}

/** Shows all mirrors, and returns the changes per second of all of them. */
export function showMirrors(mirrors, lags, at) {
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
        row.show(mirror, lags[mirror.name], at);
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
    document.querySelectorAll('select[name="mirror"]').forEach((list) => {
        const option = [...list.options].find(({ value }) => value === mirror.name) ?? new Option('', mirror.name);
        option.text = nameOf(mirror.name);
        list.append(option);
    });
    return row;
}
