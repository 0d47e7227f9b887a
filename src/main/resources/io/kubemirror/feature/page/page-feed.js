// The events of all mirrors: first those in their history, then as they arrive.

import { byId, cell, nameOf, setText, tableRow, timeText } from './page-elements.js';

/** The number of events that the page shows, as many as kubemirror sends at first. */
const ROWS = 300;

/** The number of events that the page remembers, so that another filter can show them. */
const REMEMBERED = 1000;

const filter = byId('filter');
const table = byId('events');
let remembered = new Map();
let waiting = 0;
let paused = false;

const identity = ({ type, mirror, key, revision }) => [type, mirror, key, revision].join(' ');

function chosen() {
    return Object.fromEntries([...new FormData(filter)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
}

function isChosen({ mirror, key }) {
    const { mirror: wanted, namespace, name } = chosen();
    const slash = key.indexOf('/');
    return (!wanted || wanted === mirror)
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

/** Takes new events, the oldest first. After a lost connection, some of them are known. */
export function takeChanges(changes) {
    const begun = remembered.size > 0;
    const added = changes.filter((event) => !remembered.has(identity(event)));
    remembered = new Map([...remembered, ...added.map((event) => [identity(event), event])].slice(-REMEMBERED));
    const wanted = added.filter(isChosen);
    if (paused) {
        waiting += wanted.length;
    } else {
        const rows = wanted.reverse().map(eventRow);
        rows.forEach((row) => row.classList.toggle('fresh', begun));
        table.tBodies[0].prepend(...rows);
        while (table.tBodies[0].rows.length > ROWS) {
            table.tBodies[0].lastElementChild.remove();
        }
    }
    showCounts();
}

/** The number of waiting events is no status, because screen readers announce each change of one. */
function showCounts() {
    setText(byId('waiting'), waiting ? `${waiting} waiting` : '');
    byId('quiet').hidden = table.tBodies[0].rows.length > 0;
}

function showAll() {
    waiting = 0;
    table.tBodies[0].replaceChildren(...[...remembered.values()].filter(isChosen).slice(-ROWS).reverse().map(eventRow));
    showCounts();
    const words = Object.entries(chosen()).map(([name, value]) => `${name} ${value}`);
    setText(byId('feed-status'), paused ? 'paused' : words.length ? `events with ${words.join(', ')}` : 'all events');
}

/** The address has the filter, so that a link to a resource can be sent. */
function remember() {
    const query = new URLSearchParams(chosen()).toString();
    history.replaceState(null, '', query ? `?${query}` : location.pathname);
    showAll();
}

for (const [name, value] of new URLSearchParams(location.search)) {
    if (name === 'mirror') {
        filter.elements.mirror.append(new Option(value, value));
    }
    const field = filter.elements.namedItem(name);
    if (field) {
        field.value = value;
    }
}
document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.target.matches('input, select')) {
        event.preventDefault();
        filter.elements.name.focus();
    }
});
filter.addEventListener('submit', (event) => event.preventDefault());
filter.addEventListener('input', remember);
filter.addEventListener('reset', () => setTimeout(remember));
byId('pause').addEventListener('click', ({ currentTarget }) => {
    paused = !paused;
    currentTarget.setAttribute('aria-pressed', String(paused));
    showAll();
});
showAll();
