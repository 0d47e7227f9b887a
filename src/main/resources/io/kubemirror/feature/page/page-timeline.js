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

/** The number of changes that are shown. */
const CHANGES = 20;

const timeline = byId('timeline');
const changes = byId('changes');

/** Shows the changes of all mirrors, newest first. Those of one mirror stay in their order if their times are equal. */
export function showChanges(mirrors, at) {
    const states = mirrors.flatMap(({ name, stateChanges }) => stateChanges
        .map((began, i) => state(name, began, Date.parse(began.at), i + 1 < stateChanges.length ? Date.parse(stateChanges[i + 1].at) : null))
        .reverse())
        .sort((a, b) => b.from - a.from)
        .slice(0, CHANGES);
    const first = Math.min(at - SPAN, ...states.map(({ from }) => from));
    setText(byId('timeline-span'), `since ${timeText(first)}`);
    timeline.querySelectorAll('.axis time').forEach((mark, i) => setText(mark, timeText(first + ((at - first) * i) / 2)));
    showRows(timeline, mirrors.map((mirror) => bar(mirror, states.filter(({ mirror: name }) => name === mirror.name), first, at)), timelineRow);
    showRows(changes, states.map(({ from, until, ...rest }) => ({ ...rest, time: timeText(from), lasted: span(Math.max(0, (until ?? at) - from) / 1000) })), changeRow);
}

function state(mirror, { phase, problem }, from, until) {
    return { mirror, kind: health({ phase, problem }), phase: words(phase), problem: problem ?? '', from, until };
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

function changeRow({ kind, time, mirror, phase, lasted, problem }) {
    return tableRow(changes, cell(time), cell(nameOf(mirror)), element('td', '', element('span', `state ${kind}`, phase)), cell(lasted), cell(problem));
}
