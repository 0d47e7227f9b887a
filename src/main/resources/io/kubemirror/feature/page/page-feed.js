// The events of all mirrors: first those in their history, then as they arrive.

import { byId, cell, element, nameOf, numbers, setText, stream, tableRow, timeText } from './page-elements.js';

/** The number of events that the page keeps, as many as kubemirror sends at first. */
const ROWS = 300;

/** The number of events that the page remembers, so that another filter can show them again. */
const REMEMBERED = 1000;

const filter = byId('filter');
const table = byId('events');
const remembered = new Map();
let shown = [];
let filtered = '';
let waiting = [];
let older = 0;
let paused = false;
let refused = false;

const identity = ({ type, mirror, key, revision }) => [type, mirror, key, revision].join(' ');

function chosen() {
    return Object.fromEntries([...new FormData(filter)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
}

/** Whether the filter selects an event. Only kubemirror knows the labels of its object. */
function isChosen({ mirror, key }) {
    const { mirror: wanted, namespace, name, labels } = chosen();
    const slash = key.indexOf('/');
    return !labels
        && (!wanted || wanted === mirror)
        && (!namespace || namespace === key.slice(0, Math.max(0, slash)))
        && (!name || key.slice(slash + 1).includes(name));
}

function eventRow({ type, mirror, key, revision, at }) {
    return tableRow(table,
        cell(timeText(at)),
        cell(type.toLowerCase(), type.toLowerCase()),
        cell(nameOf(mirror)),
        cell(key),
        cell(revision));
}

function gapRow(count, text) {
    const gap = cell(`${numbers.format(count)} ${text}`);
    gap.colSpan = 5;
    return element('tr', 'gap', gap);
}

const rowOf = (event) => (event.gap ? gapRow(event.gap, 'more, too many to show') : eventRow(event));

function remember(events) {
    for (const event of events) {
        remembered.set(identity(event), event);
    }
    for (const oldest of remembered.keys()) {
        if (remembered.size <= REMEMBERED) {
            break;
        }
        remembered.delete(oldest);
    }
}

/** Shows what a stream begins with, together with older events that the page has seen itself. */
function begin({ changes, more }) {
    const known = new Set(changes.map(identity));
    const seen = [...remembered.values()].filter((event) => isChosen(event) && !known.has(identity(event)));
    const events = [...changes.reverse(), ...seen.reverse()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, ROWS);
    remember(changes.toReversed());
    const same = filtered === JSON.stringify(chosen());
    filtered = JSON.stringify(chosen());
    if (paused && same) {
        const visible = new Set(shown.map(identity));
        waiting = events.filter((event) => !visible.has(identity(event)));
    } else {
        shown = events;
        older = more;
        waiting = [];
        table.tBodies[0].replaceChildren(...shown.map(rowOf));
    }
    showCounts();
    showRefusal('');
}

function add({ changes, more }) {
    remember(changes);
    const added = changes.toReversed();
    if (more > 0) {
        added.push({ gap: more });
    }
    if (paused) {
        waiting = [...added, ...waiting].slice(0, ROWS);
    } else {
        prepend(added);
    }
    showCounts();
}

function prepend(added) {
    shown = [...added, ...shown].slice(0, ROWS);
    const rows = added.map(rowOf);
    rows.forEach((row) => row.classList.add('fresh'));
    table.tBodies[0].prepend(...rows);
    while (table.tBodies[0].rows.length > ROWS) {
        table.tBodies[0].lastElementChild.remove();
    }
}

/** The number of waiting events is no status, because screen readers announce each change of one. */
function showCounts() {
    setText(byId('waiting'), waiting.length ? `${waiting.length === ROWS ? `${ROWS} or more` : waiting.length} waiting` : '');
    setText(byId('quiet'), shown.length ? `${numbers.format(older)} older events in the history are not shown.` : 'No events in the history.');
    byId('quiet').hidden = shown.length > 0 && older === 0;
}

function describe() {
    const words = Object.entries(chosen()).map(([name, value]) => `${name} ${value}`);
    return words.length ? `events with ${words.join(', ')}` : 'all events';
}

function showRefusal(text) {
    refused = Boolean(text);
    filter.classList.toggle('refused', refused);
    byId('feed-status').classList.toggle('refused', refused);
    filter.elements.labels.setAttribute('aria-invalid', String(refused));
    setText(byId('feed-status'), text || (paused ? 'paused' : describe()));
}

const feed = stream(() => `page/feed?${new URLSearchParams(chosen())}`, {
    events: {
        begun: begin,
        alive: () => {},
        changes: add,
        refused: ({ message }) => {
            showRefusal(message);
            feed.close();
        },
    },
    onLost: () => setText(byId('feed-status'), 'connection lost'),
});

let timer;

function applyFilter() {
    clearTimeout(timer);
    feed.reopen();
}

filter.addEventListener('submit', (event) => {
    event.preventDefault();
    applyFilter();
});
filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(applyFilter, 400);
});
filter.addEventListener('reset', () => setTimeout(applyFilter));
byId('pause').addEventListener('click', ({ currentTarget }) => {
    paused = !paused;
    currentTarget.setAttribute('aria-pressed', String(paused));
    if (!paused) {
        prepend(waiting);
        waiting = [];
        showCounts();
    }
    if (!refused) {
        setText(byId('feed-status'), paused ? 'paused' : describe());
    }
});
