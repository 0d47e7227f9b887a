// The sample of the state that arrives each second: findings, totals, requests, clients, and changes of state.

import { byId, cell, clientText, element, hideEmpty, localTimes, nameOf, numbers, rateText, setText, shortSpan, showRows, size, span, tableRow, timeText, within } from './page-elements.js';
import { health, showMirrors } from './page-resources.js';
import { showChanges } from './page-timeline.js';

/** The number of samples, one per second, over which requests are counted. */
const REQUEST_SAMPLES = 60;

const CLIENTS = 20;

/** The page that says what to do, and its section for each kind of finding, which is that of an alert. */
const RUNBOOKS = 'https://github.com/kubemirror/kubemirror/blob/main/src/docs/troubleshooting.md';
const RUNBOOK = {
    'not-synchronized': 'kubemirrornotsynced',
    'cut-off': 'kubemirrorcutoff',
    absent: 'kubemirrorunknownresource',
    watcher: 'kubemirrorclientsfallbehind',
    memory: 'kubemirrormemorynearlimit',
    descriptors: 'kubemirrordescriptorsnearlimit',
    configuration: 'kubemirrorconfigurationrefused',
    storage: 'kubemirrornotstored',
    difference: 'kubemirrordiffered',
};

const clients = byId('clients');
const requests = byId('requests');
let samples = [];
let lost = false;

/** Shows a sample. Its parts do not depend on each other. */
export function showState({ diagnosis, requests: counts, lags }) {
    const at = Date.parse(diagnosis.at);
    const rate = showMirrors(diagnosis.mirrors, lags, at);
    showFindings(diagnosis.findings);
    showTotals(diagnosis, rate);
    showRequests(diagnosis.program, counts, at);
    showClients(diagnosis.mirrors, at);
    showChanges(diagnosis.mirrors, at);
    showConnection(diagnosis.mirrors);
}

function showFindings(findings) {
    setText(byId('findings-status'), findings.length ? `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}` : 'No problems found.');
    const list = byId('findings');
    const content = JSON.stringify(findings);
    if (list.dataset.content !== content) {
        list.dataset.content = content;
        list.replaceChildren(...findings.map(({ severity, kind, mirror, text, action }) => element('li', severity,
            element('strong', '', severity),
            element('span', '', `${mirror ? `${nameOf(mirror)}: ` : ''}${localTimes(text)}`),
            element('em', '', action, ' ', runbook(kind)))));
    }
}

function runbook(kind) {
    const link = element('a', '', 'Runbook');
    link.href = `${RUNBOOKS}#${RUNBOOK[kind]}`;
    link.rel = 'noreferrer';
    return link;
}

function showTotals(state, rate) {
    const sum = (value) => state.mirrors.reduce((total, mirror) => total + value(mirror), 0);
    const part = (used, limit) => [size(used), ' ', element('small', '', `of ${size(limit)}`)];
    setText(byId('upstream'), `${state.program.version}, mirrors ${state.program.upstream}, up for ${span(state.program.uptimeSeconds)}`);
    setText(byId('objects'), numbers.format(sum((mirror) => mirror.content.objects)));
    const behind = sum((mirror) => mirror.watchers.waiting);
    byId('watchers').replaceChildren(numbers.format(sum((mirror) => mirror.watchers.open)), ...(behind ? [' ', element('small', 'warn', `${numbers.format(behind)} behind`)] : []));
    setText(byId('rate'), rateText(rate));
    const { heapKeptBytes, heapMaxBytes } = state.memory;
    byId('heap').replaceChildren(...part(heapKeptBytes, heapMaxBytes));
    byId('heap').classList.toggle('warn', state.findings.some(({ kind }) => kind === 'memory'));
}

/** Compares the counts with those of a minute ago. A restart begins again. */
function showRequests(program, counts, at) {
    if (samples.at(-1)?.started !== program.started) {
        samples = [];
    }
    if (samples.at(-1)?.at !== at) {
        samples.push({ at, started: program.started, counts });
        samples.splice(0, samples.length - REQUEST_SAMPLES - 1);
    }
    const first = samples[0];
    const seconds = (at - first.at) / 1000;
    const none = { errors: 0, durations: { count: 0, seconds: 0, within: {} } };
    const recent = counts
        .map((now) => [now, first.counts.find(({ verb, answeredBy }) => verb === now.verb && answeredBy === now.answeredBy) ?? none])
        .filter(([now, before]) => now.durations.count > before.durations.count);
    showRows(requests, recent.map(([now, before]) => requestTexts(now, before, seconds)), (texts) => {
        const row = tableRow(requests, ...texts.map((text) => cell(text)));
        row.cells[5].classList.toggle('bad', texts[5] !== '0.0');
        return row;
    });
    hideEmpty(requests, 'Errors/s');
    byId('no-requests').hidden = recent.length > 0;
    const errors = recent.reduce((total, [now, before]) => total + now.errors - before.errors, 0);
    setText(byId('errors'), numbers.format(errors));
    byId('errors').classList.toggle('bad', errors > 0);
}

function requestTexts(now, before, seconds) {
    const count = now.durations.count - before.durations.count;
    const perSecond = (number) => rateText(number / seconds);
    return [
        now.verb === 'other' ? 'no resource' : now.verb,
        now.answeredBy,
        perSecond(count),
        shortSpan((now.durations.seconds - before.durations.seconds) / count),
        within(0.99, before.durations, now.durations),
        perSecond(now.errors - before.errors)];
}

/** Shows the clients that are most behind. */
function showClients(mirrors, at) {
    const open = mirrors.reduce((total, mirror) => total + mirror.watchers.open, 0);
    const shown = mirrors.flatMap(({ name, watchers }) => watchers.shown.map((watch) => ({ mirror: name, watch })))
        .sort((a, b) => b.watch.lateSeconds - a.watch.lateSeconds || Date.parse(a.watch.since) - Date.parse(b.watch.since))
        .slice(0, CLIENTS);
    showRows(clients, shown.map(({ mirror, watch }) => [
        clientText(watch),
        watch.agent ?? '',
        nameOf(mirror),
        watch.selection ?? 'all',
        span(Math.max(0, at - Date.parse(watch.since)) / 1000),
        numbers.format(watch.behind),
        watch.behind ? shortSpan(watch.lateSeconds) : '–',
        numbers.format(watch.events),
    ]), (texts) => tableRow(clients, ...texts.map((text) => cell(text))));
    hideEmpty(clients, 'Behind', 'Lag');
    const more = open - shown.length;
    setText(byId('more-clients'), open ? `and ${numbers.format(more)} more` : 'No open watches.');
    byId('more-clients').hidden = open > 0 && more === 0;
}

function showConnection(mirrors) {
    const states = mirrors.map(({ state }) => health(state));
    const connected = states.filter((state) => state === 'good').length;
    const pill = byId('connection');
    setText(pill, connected === mirrors.length ? 'all mirrors are connected' : `${connected} of ${mirrors.length} mirrors are connected`);
    pill.className = `pill ${['bad', 'warn', 'good'].find((state) => states.includes(state)) ?? 'good'}`;
    byId('lost').hidden = true;
    document.body.classList.remove('lost');
    lost = false;
}

/** Shows that kubemirror does not answer. */
export function showLoss() {
    if (!lost) {
        lost = true;
        document.body.classList.add('lost');
        setText(byId('lost'), `Lost the connection to kubemirror at ${timeText(Date.now())}. The page shows the last known state and reconnects automatically.`);
        byId('lost').hidden = false;
        setText(byId('connection'), 'connection lost');
        byId('connection').className = 'pill bad';
    }
}
