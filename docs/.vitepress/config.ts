import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type MarkdownEnv, type MarkdownRenderer } from 'vitepress'
import { descriptionPage } from '../../packages/reference-server/src/routes/index.js'
import { describeService } from '../../spec/description.js'

const docs = fileURLToPath(new URL('..', import.meta.url))
const { homepage, repository } = JSON.parse(readFileSync(join(docs, '../package.json'), 'utf8'))
const sources = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`
const title = 'svc'
const description = 'A typed client, a command and a reference server for a transcript annotation service'
const base = `${new URL(homepage).pathname}/`

const titleOf = (page: string): string =>
  (/^# (.*)$/m.exec(readFileSync(join(docs, page), 'utf8'))?.[1] ?? page).replaceAll(/[`\\]/g, '')

/** The pages of a folder, in the order of their titles. */
const pagesOf = (folder: string): { text: string; link: string }[] =>
  readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({
      text: titleOf(`${folder}/${name}`),
      link: `/${folder}/${name.replace(/(index|README)?\.md$/, '')}`,
    }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))

/** The guides in the order of the list at the end of the README. */
const listed = readFileSync(join(docs, '../README.md'), 'utf8').split('\n## Documentation\n')[1] ?? ''
const guides = pagesOf('guides').sort((one, other) => listed.indexOf(one.link) - listed.indexOf(other.link))

/** The target of a link to a file of the repository that is no page of the site. */
function addressOf(href: string, page: string): string {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href.startsWith(`${homepage}/`) ? href.slice(homepage.length) : href
  const target = posix.join('docs', posix.dirname(page), href)
  return target.startsWith('docs/') ? href : sources + target
}

/** The HTML from which the search takes the words of a page. Its renderer need not color code, which takes most of the time. */
function renderForSearch(source: string, env: MarkdownEnv, md: MarkdownRenderer): string {
  md.options.highlight = null
  return md.render(source, env)
}

/** Give each cell of a table the name of its column, which a narrow page shows beside it. */
function labelCells(tokens: readonly { type: string; content: string; attrSet(name: string, value: string): void }[]) {
  let names: string[] = []
  let column = 0
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'thead_open') names = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') names.push((tokens[at + 1]?.content ?? '').replaceAll('`', ''))
    if (token.type === 'td_open') token.attrSet('data-label', names[column++] ?? '')
  }
}

/** The site of the documentation. `pnpm docs:build` builds it and fails on a link to a page that does not exist. */
export default defineConfig({
  title,
  description,
  base,
  cleanUrls: true,
  rewrites: { 'decisions/README.md': 'decisions/index.md', 'reference/cli/README.md': 'reference/cli/index.md' },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    search: { provider: 'local', options: { _render: renderForSearch } },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/guides/quick-start' },
      { text: 'Commands', link: '/reference/cli/' },
      { text: 'API', link: '/reference/api/@svc.client' },
      { text: 'HTTP API', link: '/reference/http-api.html', target: '_self' },
    ],
    sidebar: [
      { text: 'Guides', items: guides },
      { text: 'Concepts', items: pagesOf('concepts') },
      { text: 'Commands', items: pagesOf('reference/cli') },
      { text: 'Reference', items: pagesOf('reference') },
      { text: 'API of the packages', items: pagesOf('reference/api') },
      {
        text: 'The project',
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Folders', link: '/folders' },
          { text: 'Walks', link: '/walks' },
          ...pagesOf('decisions'),
        ],
      },
    ],
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => {
      md.core.ruler.push('labels-of-cells', ({ tokens }) => labelCells(tokens))
      md.core.ruler.push('links-to-sources', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          if (href) token.attrSet('href', addressOf(href, env.relativePath))
        }
      })
    },
  },
  /** Adds what programs read: the HTTP API, the Markdown of each page, and `llms.txt`. */
  async buildEnd({ outDir, pages }) {
    const write = (path: string, text: string) => writeFileSync(join(outDir, path), text)
    write('reference/http-api.html', descriptionPage(false).body)
    write('reference/openapi.json', (await describeService()).text)
    for (const path of pages) {
      mkdirSync(dirname(join(outDir, path)), { recursive: true })
      copyFileSync(join(docs, path), join(outDir, path))
    }
    const shown = pages.filter((path) => path !== 'index.md').sort()
    const links = shown.map((path) => `- [${titleOf(path)}](${homepage}/${path})\n`).join('')
    write('llms.txt', `# ${title}\n\n> ${description}.\n\n${links}`)
  },
})
