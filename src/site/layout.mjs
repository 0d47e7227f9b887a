/*
 * Every page fits the window in Chromium: nothing scrolls sideways but tables and code, and the sidebar shows whole names.
 * Exits with 1 if one does not. Writes a picture for each width into ../site-pictures.
 */
import {spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';

const WIDTHS = [390, 1280, 1440, 1680];
const PICTURED = 'configuration.html';
const TYPES = {'.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.svg': 'image/svg+xml'};

const site = join(import.meta.dirname, '../site');
const pictures = join(import.meta.dirname, '../site-pictures');
const base = process.env.SITE_BASE ?? '/';
const browser = ['chromium', 'google-chrome', 'chromium-browser']
  .find(name => spawnSync(name, ['--version']).status === 0);
if (!browser) {
  console.log('No Chromium: the layout is not checked.');
  process.exit(process.env.CI ? 1 : 0);
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
  const file = join(site, path.startsWith(base) ? path.slice(base.length) : path);
  const known = file.startsWith(site) && existsSync(file) && extname(file) !== '';
  response.writeHead(known ? 200 : 404, {'content-type': TYPES[extname(file)] ?? 'application/octet-stream'});
  response.end(known ? readFileSync(file) : '');
});
await new Promise(done => server.listen(0, '127.0.0.1', done));

/* The DevTools protocol on two pipes: messages of JSON that end with a zero. */
const profile = mkdtempSync(join(tmpdir(), 'site-'));
const chromium = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--remote-debugging-pipe',
  `--user-data-dir=${profile}`], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
const [, , , commands, answers] = chromium.stdio;
const waiting = new Map();
let unread = '';
let last = 0;
answers.setEncoding('utf8').on('data', text => {
  const messages = (unread + text).split('\0');
  unread = messages.pop();
  for (const {id, result, error} of messages.map(message => JSON.parse(message))) {
    waiting.get(id)?.(error ? Promise.reject(new Error(error.message)) : result);
    waiting.delete(id);
  }
});
chromium.on('exit', () => { console.error(`${browser} has ended.`); process.exit(1); });

let sessionId;
const call = (method, params = {}) => new Promise(done => {
  waiting.set(++last, done);
  commands.write(JSON.stringify({id: last, method, params, sessionId}) + '\0');
});
const look = async expression => {
  const {result, exceptionDetails} =
    await call('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
  if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
  return result.value;
};

/* What does not fit; runs in the page, two frames after a change of the width. */
const measure = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push('is ' + root.scrollWidth + ' px wide');
  const tables = [...document.querySelectorAll('.vp-doc table')].filter(table => table.scrollWidth > table.clientWidth + 1);
  if (innerWidth < 640 && tables.length > 0) found.push('has ' + tables.length + ' tables that do not fit');
  const sidebar = document.querySelector('.VPSidebar');
  if (sidebar && innerWidth >= 960) {
    const {left, right} = sidebar.getBoundingClientRect();
    const names = [...sidebar.querySelectorAll('.text')];
    if (names.length === 0) found.push('has no names in its sidebar');
    for (const name of names) {
      const range = document.createRange();
      range.selectNodeContents(name);
      const box = range.getBoundingClientRect();
      if (box.left < left || box.right > right) found.push('cuts "' + name.textContent + '" in the sidebar');
    }
    const content = document.querySelector('.VPDoc .content-container, .VPDoc .container')?.getBoundingClientRect();
    if (content && content.left < right) found.push('has its text below the sidebar');
  }
  done(found);
})))`;

const {targetId} = await call('Target.createTarget', {url: 'about:blank'});
sessionId = (await call('Target.attachToTarget', {targetId, flatten: true})).sessionId;
// The theme then moves nothing gradually.
await call('Emulation.setEmulatedMedia', {features: [{name: 'prefers-reduced-motion', value: 'reduce'}]});
const pages = readdirSync(site).filter(file => file.endsWith('.html') && file !== '404.html');
const address = `http://127.0.0.1:${server.address().port}${base}`;
mkdirSync(pictures, {recursive: true});
const complaints = [];
for (const page of pages) {
  await call('Page.navigate', {url: address + page});
  await look(`new Promise(done => { const ready = () =>
    location.pathname.endsWith('/${page}') && document.readyState === 'complete' && document.querySelector('.VPDoc h1')
      && !document.querySelector('pre.mermaid:not([data-processed])') ? done(true) : setTimeout(ready, 10); ready(); })`);
  for (const width of WIDTHS) {
    await call('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: 1, mobile: width < 768});
    (await look(measure)).forEach(found => complaints.push(`${page} at ${width} px ${found}`));
    if (page === PICTURED) {
      const {data} = await call('Page.captureScreenshot', {format: 'png'});
      writeFileSync(join(pictures, `${width}.png`), Buffer.from(data, 'base64'));
    }
  }
}
chromium.removeAllListeners('exit');
chromium.kill();
await new Promise(done => chromium.on('exit', done));
try {
  rmSync(profile, {recursive: true, force: true, maxRetries: 20, retryDelay: 100});
} catch {
  // Other processes of Chromium still write as they end. The profile stays among the temporary files.
}
console.log(`${pages.length} pages at ${WIDTHS.join(', ')} px, ${complaints.length} complaints`);
complaints.forEach(complaint => console.error(complaint));
process.exit(pages.length > 0 && complaints.length === 0 ? 0 : 1);
