// The state changes of all mirrors: a bar for each mirror, and a table of the changes.

import { byId, cell, element, nameOf, setText, showRows, span, svgElement, tableRow, timeText, words } from './page-elements.js';
import { health } from './page-resources.js';

/** The length of a bar, and the least that a state takes of it, so that a moment can be seen. */
const LENGTH = 1000;
const SHORTEST = 6;

/** The least time that the bars show. */
const SPAN = 60000;

/** The height of a state, so that its color is not all that tells it from others. Higher ones cover lower ones. */
const HEIGHTS = { good: 8, warn: 12, bad: 16 };

/** The number of rows of changes, and the time within which one cause changes several mirrors. */
const CHANGES = 20;
const AT_ONCE = 3000;

/** The number of changes that kubemirror remembers: the first of so many was not the first. */
const KEPT = 20;

const timeline = byId('timeline');
const changes = byId('changes');

/** The rows of several mirrors whose names are shown. */
const opened = new Set();

/** Shows the changes of all mirrors, newest first. Those of one mirror stay in their order if their times are equal. */
export function showChanges(mirrors, at) {
    const states = mirrors.flatMap(({ name, stateChanges }) => stateChanges
        .map((began, i) => state(name, { ...began, synced: isServed(stateChanges, i) }, Date.parse(began.at), i + 1 < stateChanges.length ? Date.parse(stateChanges[i + 1].at) : null))
        .reverse())
        .sort((a, b) => b.from - a.from);
    const first = Math.min(at - SPAN, ...states.map(({ from }) => from));
    setText(byId('timeline-span'), `since ${timeText(first)}`);
    timeline.querySelectorAll('.axis time').forEach((mark, i) => setText(mark, timeText(first + ((at - first) * i) / 2)));
    showRows(timeline, mirrors.map((mirror) => bar(mirror, states.filter(({ mirror: name }) => name === mirror.name), first, at)), timelineRow);
    showRows(changes, causes(states).slice(0, CHANGES).map(({ from, until, ...rest }) => ({ ...rest, time: timeText(from), lasted: span(Math.max(0, (until ?? at) - from) / 1000) })), changeRow);
}

/** Returns whether requests got an answer during a change: a mirror that was complete serves its last state. */
function isServed(stateChanges, at) {
    return stateChanges.length === KEPT || stateChanges.slice(0, at + 1).some(({ phase }) => phase === 'watching' || phase === 'absent');
}

/** Joins changes of several mirrors to one state at about the same time. */
function causes(states) {
    const joined = [];
    for (const { mirror, ...change } of states) {
        const same = joined.find(({ mirrors, newest, phase, problem }) => phase === change.phase && problem === change.problem
            && newest - change.from < AT_ONCE && !mirrors.includes(mirror));
        if (same) {
            same.mirrors.push(mirror);
            same.from = change.from;
            same.until = same.until === null || change.until === null ? null : Math.max(same.until, change.until);
        } else {
            joined.push({ ...change, mirrors: [mirror], newest: change.from });
        }
    }
    return joined.sort((a, b) => b.from - a.from);
}

function state(mirror, { phase, problem, synced, lost }, from, until) {
    return { mirror, kind: health({ phase, problem, synced, lost }), phase: words(phase), problem: problem ?? '', from, until };
}

/** A mirror without a change has been in its state all the time. What came before its first change is unknown. */
function bar({ name, state: present }, states, first, at) {
    const known = states.length ? states : [state(name, present, Date.parse(present.since), null)];
    const place = (time) => Math.round((LENGTH * (Math.max(time, first) - first)) / (at - first));
    return {
        name,
        label: `${known[0].phase} since ${timeText(known[0].from)}, ${states.length} state changes`,
        parts: known.map(({ kind, phase, problem, from, until }) => {
            const width = Math.max(SHORTEST, place(until ?? at) - place(from));
            const times = until ? `${timeText(from)} to ${timeText(until)}` : `since ${timeText(from)}`;
            return { kind, width, x: Math.min(place(from), LENGTH - width), title: `${phase}, ${times}${problem ? `: ${problem}` : ''}` };
        }).sort((a, b) => HEIGHTS[a.kind] - HEIGHTS[b.kind]),
    };
}

function timelineRow({ name, label, parts }) {
    const svg = svgElement('svg', { viewBox: `0 0 ${LENGTH} ${HEIGHTS.bad}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
    svg.append(...parts.map(({ kind, x, width, title }) => {
        const part = svgElement('rect', { class: kind, x, width, y: HEIGHTS.bad - HEIGHTS[kind], height: HEIGHTS[kind] });
        const text = svgElement('title', {});
        text.textContent = title;
        part.append(text);
        return part;
    }));
    const head = element('th', '', nameOf(name));
    head.scope = 'row';
    return tableRow(timeline, head, element('td', 'bar', svg));
}

function changeRow({ kind, time, mirrors, phase, lasted, problem }) {
    const names = mirrors.map(nameOf).sort();
    return tableRow(changes, cell(time), cell(names.length > 1 ? several(names, time + phase) : names[0]), element('td', '', element('span', `state ${kind}`, phase)), cell(lasted), cell(problem));
}

/** Their number, and their names on request, which stay although the rows are replaced. */
function several(names, row) {
    const shown = element('details', '', element('summary', '', `${names.length} mirrors`), names.join(', '));
    shown.open = opened.has(row);
    shown.addEventListener('toggle', () => (shown.open ? opened.add(row) : opened.delete(row)));
    return shown;
}
