// The search for objects by name, sorted pages of all objects, the history of an object, and the difference between two revisions.

import { button, byId, cell, element, fetchJson, nameOf, numbers, setText, tableRow, timeText, words } from './page-elements.js';

const search = byId('search');
const found = byId('found');
const versions = byId('versions');
const difference = byId('difference');
let object;
let page;

async function showFound() {
    const { name, mirror, sortBy } = Object.fromEntries([...new FormData(search)].map(([key, value]) => [key, value.trim()]));
    byId('history').hidden = true;
    byId('previous-page').hidden = byId('next-page').hidden = true;
    if (!name && mirror) {
        await showPage({ mirror, sortBy, from: 0, revision: '' });
        return;
    }
    if (!name) {
        setText(byId('search-status'), 'Enter a part of a name, or choose a resource.');
        return;
    }
    try {
        const { objects, more } = await fetchJson(`page/objects?${new URLSearchParams({ name, mirror })}`);
        found.tBodies[0].replaceChildren(...objects.map(foundRow));
        found.closest('.scroll').hidden = objects.length === 0;
        setText(byId('search-status'), objects.length ? `${objects.length} ${objects.length === 1 ? 'object' : 'objects'}${more ? ', and more that are not shown' : ''}` : `No object has ${name} in its name.`);
    } catch (failure) {
        setText(byId('search-status'), `Cannot search: ${failure.message}`);
    }
}

async function showPage(wanted) {
    try {
        page = { ...wanted, ...await fetchJson(`page/list?${new URLSearchParams(wanted)}`) };
        const { objects, from, total, revision } = page;
        found.tBodies[0].replaceChildren(...objects.map(foundRow));
        found.closest('.scroll').hidden = objects.length === 0;
        byId('previous-page').hidden = from === 0;
        byId('next-page').hidden = from + objects.length >= total;
        setText(byId('search-status'), objects.length ? `${numbers.format(from + 1)} to ${numbers.format(from + objects.length)} of ${numbers.format(total)} at revision ${revision}` : 'There are no objects.');
    } catch (failure) {
        setText(byId('search-status'), `Cannot list: ${failure.message}`);
    }
}

function turnPage(objects) {
    const { mirror, sortBy, revision, from } = page;
    showPage({ mirror, sortBy, revision, from: Math.max(0, from + objects) });
}

function foundRow({ mirror, key, revision, deleted }) {
    const name = element('th', '', button('link', key, () => showVersions({ mirror, object: key })));
    name.scope = 'row';
    return tableRow(found, name, cell(nameOf(mirror)), cell(deleted ? 'deleted' : 'present', deleted ? 'deleted' : ''), cell(revision));
}

async function showVersions(target) {
    object = target;
    setText(byId('history-title'), `${target.object} in ${nameOf(target.mirror)}`);
    byId('compared').hidden = true;
    try {
        const { versions: states, more, contents } = await fetchJson(`page/object?${new URLSearchParams(target)}`);
        versions.classList.toggle('comparable', contents);
        versions.tBodies[0].replaceChildren(...states.map(versionRow));
        const comparable = contents && states.length > 1;
        byId('compare').hidden = !comparable;
        setText(byId('history-status'), [
            states.length ? '' : 'The history does not have this object any more.',
            more ? `${numbers.format(more)} older changes are not shown.` : '',
            contents ? '' : 'Contents are not shown; see kubemirror.page.show-contents.',
        ].filter(Boolean).join(' '));
    } catch (failure) {
        versions.tBodies[0].replaceChildren();
        byId('compare').hidden = true;
        setText(byId('history-status'), `Cannot load the history: ${failure.message}`);
    }
    byId('history').hidden = false;
    byId('history').focus();
}

function versionRow({ type, revision, at }, position) {
    return tableRow(versions,
        choice('from', revision, position === 1),
        choice('to', revision, position === 0),
        cell(type === 'EARLIER' ? 'before the history' : words(type), type.toLowerCase()),
        cell(at ? timeText(at) : '–'),
        cell(revision));
}

function choice(name, revision, checked) {
    const input = element('input');
    input.type = 'radio';
    input.name = name;
    input.value = revision;
    input.checked = checked;
    input.setAttribute('aria-label', `${name} revision ${revision}`);
    return element('td', 'choice', input);
}

async function showDifference() {
    const { from, to } = Object.fromEntries(new FormData(byId('history')));
    byId('compared').hidden = false;
    setText(byId('difference-title'), `From revision ${from} to ${to}`);
    try {
        const { members, more } = await fetchJson(`page/difference?${new URLSearchParams({ ...object, from, to })}`);
        difference.tBodies[0].replaceChildren(...members.map(memberRow));
        difference.hidden = members.length === 0;
        setText(byId('difference-status'), members.length ? (more ? 'There are more differences than these.' : '') : 'There is no difference.');
    } catch (failure) {
        difference.hidden = true;
        setText(byId('difference-status'), `Cannot compare: ${failure.message}`);
    }
}

function memberRow({ path, before, after }) {
    const name = element('th', '', path);
    name.scope = 'row';
    return tableRow(difference, name, cell(before ?? '–', before === null ? '' : 'before'), cell(after ?? '–', after === null ? '' : 'after'));
}

byId('previous-page').addEventListener('click', () => turnPage(-50));
byId('next-page').addEventListener('click', () => turnPage(50));
search.addEventListener('submit', (event) => {
    event.preventDefault();
    showFound();
});
byId('history').addEventListener('submit', (event) => {
    event.preventDefault();
    showDifference();
});
