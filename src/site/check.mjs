/* Every link within the site leads to a file, and to an anchor of it. Exits with 1 if one does not. */
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, posix} from 'node:path';

const site = join(import.meta.dirname, '../site');
const base = process.env.SITE_BASE ?? '/';
const pages = readdirSync(site, {recursive: true}).filter(file => file.endsWith('.html'));
const text = new Map(pages.map(page => [page, readFileSync(join(site, page), 'utf8')]));
const anchors = new Map(pages.map(page =>
  [page, new Set([...text.get(page).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]));

let count = 0;
const dead = new Set();
for (const page of pages) {
  for (const [, link] of text.get(page).matchAll(/\s(?:href|src)="([^"]+)"/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    count++;
    const [path, anchor] = link.replaceAll('&amp;', '&').split('#');
    const absolute = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(page), path);
    const file = path === '' ? page : absolute === '' || absolute.endsWith('/') ? absolute + 'index.html' : absolute;
    const known = anchors.get(file);
    if (!existsSync(join(site, file)) || (anchor && known && !known.has(decodeURIComponent(anchor)))) {
      dead.add(`${page}: ${link}`);
    }
  }
}
console.log(`${pages.length} pages, ${count} links within the site, ${dead.size} dead`);
dead.forEach(link => console.error(link));
process.exit(pages.length > 0 && dead.size === 0 ? 0 : 1);
