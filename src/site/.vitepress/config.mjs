import {existsSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {defineConfig} from 'vitepress';

/** The repository, seen from the copy of this directory that ../build makes, and the copies of its pages. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const pages = join(root, 'target/site-build/pages');
const repository = 'https://github.com/kubemirror/kubemirror';

/** Where each page is on the site, by its file. */
const places = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'helm/kubemirror/README.md': 'chart.md',
  'src/test/programs/recording/README.md': 'recording.md',
};
const place = file => places[file] ?? (file.match(/^src\/docs\/([^/]+\.md)$/)?.[1]);

/** The anchors of code hosts, which the links in the pages name. */
const slugify = heading => heading.trim().toLowerCase()
    .replace(/[^-\p{Letter}\p{Number}_ ]/gu, '').replaceAll(' ', '-');

/** Links lead to the page on the site, or to the file in the repository. */
function links(md) {
  md.core.ruler.push('repository-links', ({tokens, env}) => {
    for (const token of tokens.flatMap(({children}) => children ?? [])) {
      const href = token.attrGet?.('href');
      if (token.type !== 'link_open' || !href || /^([a-z]+:|#|\/)/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const file = relative(pages, resolve(dirname(env.realPath ?? env.path), path));
      if (!existsSync(join(root, file))) throw new Error(`${env.path}: no ${href}`);
      const kind = statSync(join(root, file)).isDirectory() ? 'tree' : 'blob';
      const target = place(file) ? '/' + place(file) : `${repository}/${kind}/main/${file}`;
      token.attrSet('href', anchor ? `${target}#${anchor}` : target);
    }
  });
}

/** Diagrams are drawn in the browser, see theme/index.mjs. */
function diagrams(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, at, ...more) => tokens[at].info === 'mermaid'
      ? `<pre class="mermaid" v-pre>${md.utils.escapeHtml(tokens[at].content)}</pre>`
      : fence(tokens, at, ...more);
}

/** Cells have the names of their columns, which narrow windows show, see theme/wide.css. */
function labels(md) {
  md.core.ruler.push('labels', ({tokens}) => {
    let columns = [];
    let column = 0;
    tokens.forEach(({type}, at) => {
      if (type === 'thead_open') columns = [];
      if (type === 'tr_open') column = 0;
      if (type === 'th_open') columns.push(tokens[at + 1].content.replaceAll('`', ''));
      if (type === 'td_open') tokens[at].attrSet('data-label', columns[column++]);
    });
  });
}

/** The first column of the table of the README below "Documentation": a group for each bold row, in the same order. */
function sidebar() {
  const documentation = readFileSync(join(root, 'README.md'), 'utf8').split('\n## Documentation\n')[1].split('\n## ')[0];
  return documentation.split('\n| **').slice(1).map(group => ({
    text: group.split('**')[0],
    items: [...group.matchAll(/^\| (\[[^|]+) \|/gm)]
        .flatMap(([, cell]) => [...cell.matchAll(/\[([^\]]+)\]\(([^)#]+)(#[^)]*)?\)/g)])
        .map(([, text, file, anchor = '']) => ({
          text: text[0].toUpperCase() + text.slice(1), link: '/' + place(file) + anchor,
        })),
  }));
}

export default defineConfig({
  title: 'kubemirror',
  description: 'A mirror of Kubernetes resources that serves the read API from memory',
  base: process.env.SITE_BASE ?? '/',
  head: [['link', {rel: 'icon', href: `${process.env.SITE_BASE ?? '/'}page.svg`}]],
  srcDir: pages,
  outDir: join(root, 'target/site'),
  cacheDir: join(root, 'target/site-cache'),
  rewrites: file => place(file) ?? file,
  markdown: {
    anchor: {slugify},
    config: md => { links(md); diagrams(md); labels(md); },
  },
  themeConfig: {
    outline: [2, 3],
    search: {provider: 'local'},
    sidebar: sidebar(),
    socialLinks: [{icon: 'github', link: repository}],
    editLink: {pattern: `${repository}/edit/main/:path`},
  },
});
