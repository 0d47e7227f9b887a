// Elements, texts, and the stream that all parts of the page use.
// Data from kubemirror is inserted as text only, never as markup.

/** The number of samples, one per second, that charts show and rates are computed from. */
export const SAMPLES = 120;

const LOST_AFTER = 5000;

export const byId = (id) => document.getElementById(id);
export const numbers = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 1 });
const calendar = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

export function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) {
        made.className = className;
    }
    made.append(...content);
    return made;
}

export function svgElement(name, attributes) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([attribute, value]) => made.setAttribute(attribute, value));
    return made;
}

/** Creates a row of a table whose cells have the names of their columns, which narrow screens show. */
export function tableRow(table, ...cells) {
    const columns = [...table.tHead.rows[0].cells];
    const row = element('tr', '', ...cells);
    [...row.cells].forEach((cell, i) => {
        cell.dataset.column = columns[i].textContent;
        if (columns[i].classList.contains('number')) {
            cell.classList.add('number');
        }
    });
    return row;
}

export const cell = (text, className) => element('td', className, text);

/** The names of mirrors for people. */
export const readable = new Map();
export const nameOf = (mirror) => readable.get(mirror) ?? mirror;

/** Leaves out columns in which no row has had a value yet. */
export function hideEmpty(table, ...names) {
    const columns = [...table.tHead.rows[0].cells];
    for (const name of names) {
        const at = columns.findIndex(({ textContent }) => textContent === name);
        const cells = [...table.tBodies[0].rows].map(({ cells }) => cells[at]);
        if (cells.some(({ textContent }) => !/^[0.–]*$/.test(textContent))) {
            columns[at].dataset.used = 'true';
        }
        const empty = !columns[at].dataset.used;
        [columns[at], table.querySelector('colgroup').children[at], ...cells].forEach((part) => part.classList.toggle('empty', empty));
    }
}

/** Sets a text only if it differs, so that screen readers and the browser do not process it again. */
export function setText(target, text) {
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

/** Replaces the rows of a table only if their content differs, so that a selection of text stays. The focus stays at its row; new ones are above. */
export function showRows(table, data, row) {
    const content = JSON.stringify(data);
    if (table.dataset.content !== content) {
        table.dataset.content = content;
        const focusable = () => [...table.tBodies[0].querySelectorAll('a, button, summary')];
        const before = focusable();
        const focused = before.indexOf(document.activeElement);
        table.tBodies[0].replaceChildren(...data.map(row));
        if (focused >= 0) {
            focusable().at(focused - before.length)?.focus({ preventScroll: true });
        }
    }
}

export function size(bytes) {
    const units = ['B', 'KB', 'MB', 'GB'];
    let unit = 0;
    let value = bytes;
    while (value >= 1000 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function span(seconds) {
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

/** A duration that may be much shorter than a second. */
export const shortSpan = (seconds) => (seconds < 1 ? `${Number((seconds * 1000).toPrecision(2))} ms` : `${Number(seconds.toPrecision(2))} s`);

/** The time of day, with the date if it is not today. */
export function timeText(time) {
    const date = new Date(time);
    const day = calendar.format(date);
    return day === calendar.format(new Date()) ? clock.format(date) : `${day} ${clock.format(date)}`;
}

/** A text with its times as the page shows times. */
export const localTimes = (text) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, timeText);

export const rateText = (rate) => (rate >= 100 ? numbers.format(Math.round(rate)) : rate.toFixed(1));

/** Returns who has opened a watch, and from where. */
export const clientText = ({ user, client }) => (user && user !== client ? `${user}, ${client}` : client);

/** The name of a phase or an event in words. */
export const words = (name) => name.toLowerCase().replaceAll('-', ' ');

/** The smallest bound that at least a part of the durations between two samples are within. */
export function within(part, before, now) {
    const count = now.count - before.count;
    if (count <= 0) {
        return '–';
    }
    const bounds = Object.keys(now.within).map(Number).sort((a, b) => a - b);
    const counts = new Map(Object.entries(now.within).map(([bound, durations]) => [Number(bound), durations]));
    const earlier = new Map(Object.entries(before.within).map(([bound, durations]) => [Number(bound), durations]));
    const bound = bounds.find((candidate) => counts.get(candidate) - (earlier.get(candidate) ?? 0) >= part * count);
    return bound === undefined ? `> ${shortSpan(bounds.at(-1) ?? 0)}` : `≤ ${shortSpan(bound)}`;
}

/** An event stream that reconnects after any end, and counts as lost if it sends nothing. */
export function stream(address, { events, onLost }) {
    let source;
    let watchdog;
    let retry;
    const alive = () => {
        clearTimeout(watchdog);
        watchdog = setTimeout(lose, LOST_AFTER);
    };
    function lose() {
        onLost();
        close();
        retry = setTimeout(open, 1000);
    }
    function open() {
        source = new EventSource(address);
        source.onopen = alive;
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
}
