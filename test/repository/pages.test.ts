import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formats } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { pages, pagesIn, read, root } from '../helpers/page-files.js'

const { homepage } = JSON.parse(read('package.json'))

/** A page without its code blocks. */
const prose = (page: string) => read(page).replace(/^```[\s\S]*?^```/gm, '')
const linksOf = (page: string) => [...prose(page).matchAll(/\]\(([^()\s]+)\)/g)].map(([, link]) => link ?? '')
const isWeb = (link: string) => /^https?:/.test(link)

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
const anchorsOf = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading ?? ''))

/** The file and the anchor that a link leads to; undefined for a page of another site. */
function targetOf(page: string, link: string): [path: string, anchor: string | undefined] | undefined {
  const [address = '', anchor] = link.split('#')
  if (address.startsWith(`${homepage}/`)) return [address.replace(homepage, 'docs'), anchor]
  if (isWeb(address)) return undefined
  return [address === '' ? page : join(dirname(page), address), anchor]
}

describe('a page of the repository', () => {
  it.each(pages)('links to files and headings that exist: %s', (page) => {
    const broken = linksOf(page).filter((link) => {
      const [path, anchor] = targetOf(page, link) ?? []
      if (path === undefined) return false
      return !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor))
    })
    expect(broken).toEqual([])
  })
})

it('the README lists every guide, concept and reference under its title', () => {
  const [, list = ''] = read('README.md').split('\n## Documentation\n')
  // The README of a folder lists its pages.
  const isListed = (page: string) => /\/README\.md$/.test(page) || !existsSync(join(root, dirname(page), 'README.md'))
  const listed = ['guides', 'concepts', 'reference'].flatMap((folder) => pagesIn(`docs/${folder}`)).filter(isListed)
  const titleOf = (page: string) => /^# (.*)$/m.exec(read(page))?.[1]?.replaceAll('`', '')
  expect(listed.map((page) => `[${titleOf(page)}](${page})`).filter((link) => !list.includes(link))).toEqual([])
})

describe('the README of a published package', () => {
  const published = readdirSync(join(root, 'packages')).filter(
    (name) => !JSON.parse(read(`packages/${name}/package.json`)).private,
  )

  it.each(published)('the README of a published package has absolute links, because npm shows it alone: %s', (name) => {
    const page = `packages/${name}/README.md`
    expect(linksOf(page).filter((link) => !isWeb(link) && !link.startsWith('#'))).toEqual([])
  })
})

describe('docs/folders.md', () => {
  it('docs/folders.md has a line for every folder of the sources', () => {
    const linked = linksOf('docs/folders.md').map((link) => join('docs', link))
    const folders = readdirSync(join(root, 'packages')).flatMap((name) => {
      const source = `packages/${name}/src`
      const entries = readdirSync(join(root, source), { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory()).map((entry) => `${source}/${entry.name}`)
    })
    expect(folders.filter((folder) => !linked.includes(folder))).toEqual([])
  })
})

describe('a link of a page for contributors', () => {
  it.each(['architecture', 'folders', 'walks'])('names its target, where its text is code: %s', (page) => {
    const links = [...read(`docs/${page}.md`).matchAll(/\[`([^`\]]+)`\]\(([^)#]+)\)/g)]
    expect(links.length).toBeGreaterThan(10)
    const isNamed = (text: string, target: string) => {
      const path = text.replace(/\/$/, '').replace(/^svc\//, '')
      return (
        !/[./]/.test(text) ||
        `${join(root, 'docs', target)}/`.replace('/src/', '/').endsWith(`/${path.replace('/src/', '/')}/`)
      )
    }
    expect(links.flatMap(([, text = '', target = '']) => (isNamed(text, target) ? [] : `${text} → ${target}`))).toEqual(
      [],
    )
  })
})

it.each(['README.md', 'packages/transcripts/README.md'])('%s promises no more formats than there are', (page) => {
  const named = [...read(page).matchAll(/(\d+) (?:transcript )?formats/g)].map(([, count]) => Number(count))
  expect(named.length).toBeGreaterThan(0)
  expect(Math.max(...named)).toBeLessThanOrEqual(formats.length)
})
